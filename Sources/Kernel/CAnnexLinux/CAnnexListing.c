#define _GNU_SOURCE
#include "CAnnexListing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *annex_listing_open(int directory, int *error) {
    // The directory is opened a second time, because the listing must not share the offset of the caller's descriptor.
    int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = own < 0 ? NULL : fdopendir(own);
    *error = listing ? 0 : errno;
    if (!listing && own >= 0) close(own);
    return listing;
}

static int is_own_name(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

const char *annex_listing_next(void *listing, uint32_t *mode, uint64_t *links, int *error) {
    struct dirent *entry;
    struct stat status;
    int unknown;
    do {
        errno = 0;
        entry = readdir(listing);
        unknown = entry && fstatat(dirfd(listing), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0;
        // The loop skips an entry that was removed between readdir and fstatat.
    } while (entry && ((unknown && errno == ENOENT) || is_own_name(entry->d_name)));
    *error = !entry || unknown ? errno : 0;
    if (unknown) entry = NULL;
    if (entry) *mode = status.st_mode;
    if (entry) *links = status.st_nlink;
    return entry ? entry->d_name : NULL;
}

const char *annex_listing_next_kind(void *listing, uint32_t *kind, int *error) {
    struct dirent *entry;
    struct stat status;
    do {
        errno = 0;
        entry = readdir(listing);
    } while (entry && is_own_name(entry->d_name));
    *error = entry ? 0 : errno;
    if (!entry) return NULL;
    *kind = DTTOIF(entry->d_type);
    // Some file systems do not tell the kind.
    if (entry->d_type == DT_UNKNOWN && fstatat(dirfd(listing), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
        *kind = status.st_mode;
    return entry->d_name;
}

void annex_listing_close(void *listing) { closedir(listing); }

int annex_leads_beneath(int directory, const char *path) {
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    long opened;
    do {
        opened = syscall(SYS_openat2, directory, path, &how, sizeof how);
    } while (opened < 0 && (errno == EINTR || errno == EAGAIN));
    if (opened < 0) return -errno;
    close((int)opened);
    return 0;
}
