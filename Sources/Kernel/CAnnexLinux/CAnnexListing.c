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

const char *annex_listing_next(void *listing, uint32_t *mode, uint64_t *links, int *error) {
    struct dirent *entry;
    struct stat status;
    int unknown;
    do {
        errno = 0;
        entry = readdir(listing);
        unknown = entry && fstatat(dirfd(listing), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0;
        // The loop skips an entry that was removed between readdir and fstatat.
    } while (entry && ((unknown && errno == ENOENT) || strcmp(entry->d_name, ".") == 0 ||
                       strcmp(entry->d_name, "..") == 0));
    *error = !entry || unknown ? errno : 0;
    if (unknown) entry = NULL;
    if (entry) *mode = status.st_mode;
    if (entry) *links = status.st_nlink;
    return entry ? entry->d_name : NULL;
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
