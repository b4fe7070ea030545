#define _GNU_SOURCE
#include "CAnnexFiles.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static int open_how(int directory, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
    struct open_how how = {.flags = flags | O_CLOEXEC, .mode = mode, .resolve = resolve};
    long opened;
    do {
        // If the error is EAGAIN, a rename happened during the lookup, and the kernel asks for a retry.
        opened = syscall(SYS_openat2, directory, path, &how, sizeof how);
    } while (opened < 0 && (errno == EINTR || errno == EAGAIN));
    return opened < 0 ? -errno : (int)opened;
}

int annex_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode) {
    const uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return open_how(directory, path, flags, mode, resolve);
}

int annex_open_without_links(int directory, const char *path, uint64_t flags) {
    return open_how(directory, path, flags, 0, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

int annex_rename_new(int directory, const char *name, const char *other) {
    return renameat2(directory, name, directory, other, RENAME_NOREPLACE) < 0 ? -errno : 0;
}

int annex_rename_exchange(int directory, const char *name, const char *other) {
    return renameat2(directory, name, directory, other, RENAME_EXCHANGE) < 0 ? -errno : 0;
}

int annex_copy_access_list(int from, int to) {
    static const char name[] = "system.posix_acl_access";
    // The kernel allows no attribute that is longer than this.
    static const size_t most = 64 << 10;
    char *list = malloc(most);
    if (!list) return -ENOMEM;
    int outcome = 0;
    ssize_t size = fgetxattr(from, name, list, most);
    if (size < 0 && errno == ENODATA) {
        // The file `from` has no list. So the list that the file `to` got from its folder is removed.
        if (fremovexattr(to, name) < 0 && errno != ENODATA && errno != EOPNOTSUPP) outcome = -errno;
    } else if (size < 0) {
        outcome = errno == EOPNOTSUPP ? 0 : -errno;
    } else if (fsetxattr(to, name, list, (size_t)size, 0) < 0) {
        outcome = -errno;
    }
    free(list);
    return outcome;
}

// The kernel's format of an access control list (linux/posix_acl_xattr.h), in little-endian words.
struct access_entry {
    uint16_t tag, rights;
    uint32_t id;
};

int annex_allow_search(int directory, uint32_t user) {
    enum { version = 2, owner = 0x01, named_user = 0x02, owning_group = 0x04, mask = 0x10, others = 0x20 };
    enum { search = 1, everything = 7 };
    const uint32_t none = UINT32_MAX;
    struct {
        uint32_t version;
        struct access_entry entries[5];
    } list = {
        htole32(version),
        {
            {htole16(owner), htole16(everything), none},
            {htole16(named_user), htole16(search), htole32(user)},
            {htole16(owning_group), 0, none},
            {htole16(mask), htole16(search), none},
            {htole16(others), 0, none},
        },
    };
    return fsetxattr(directory, "system.posix_acl_access", &list, sizeof list, 0) < 0 ? -errno : 0;
}

static int open_within(int directory, const char *name, uint64_t flags) {
    struct open_how how = {
        .flags = flags | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
    };
    long opened;
    do {
        opened = syscall(SYS_openat2, directory, name, &how, sizeof how);
    } while (opened < 0 && (errno == EINTR || errno == EAGAIN));
    return opened < 0 ? -errno : (int)opened;
}

// fchmodat2 is newer than the oldest supported kernel, and fchmod refuses a descriptor of O_PATH. So the mode is
// changed through the descriptor's entry in /proc, which leads to exactly this directory.
static int allow_owner(int directory, const char *name) {
    int place = open_within(directory, name, O_PATH | O_DIRECTORY);
    if (place < 0) return place;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    int result = chmod(path, 0700) < 0 ? -errno : 0;
    close(place);
    return result;
}

int annex_open_directory_within(int directory, const char *name) {
    struct stat status;
    int opened = open_within(directory, name, O_RDONLY | O_DIRECTORY);
    int is_closed = opened == -EACCES;
    if (opened >= 0 && fstat(opened, &status) == 0) is_closed = (status.st_mode & 0700) != 0700;
    if (!is_closed) return opened;
    if (opened >= 0) close(opened);
    int result = allow_owner(directory, name);
    return result < 0 ? result : open_within(directory, name, O_RDONLY | O_DIRECTORY);
}

int annex_lock_whole(int descriptor, int kind) {
    const int operation = kind == ANNEX_LOCK_EXCLUSIVE ? LOCK_EX : kind == ANNEX_LOCK_SHARED ? LOCK_SH : LOCK_UN;
    int result;
    do {
        result = flock(descriptor, operation | LOCK_NB);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int annex_status_flags(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? -errno : flags;
}

int annex_is_on_tmpfs(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) < 0 ? -errno : system.f_type == TMPFS_MAGIC;
}

static int known_status(int directory, const char *path, int flags, annex_known_file *file) {
    struct statx status;
    const unsigned mask = STATX_TYPE | STATX_NLINK | STATX_INO | STATX_BLOCKS | STATX_MNT_ID;
    if (statx(directory, path, flags | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, mask, &status) < 0) return -errno;
    *file = (annex_known_file){
        .device = makedev(status.stx_dev_major, status.stx_dev_minor),
        .inode = status.stx_ino,
        .blocks = status.stx_blocks,
        .links = status.stx_nlink,
        .is_regular = S_ISREG(status.stx_mode),
        .is_directory = S_ISDIR(status.stx_mode),
        .is_mounted = (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
        // File systems in memory have no device, so their major number is 0.
        .is_on_device = status.stx_dev_major != 0,
        .mount = status.stx_mask & STATX_MNT_ID ? status.stx_mnt_id : 0,
    };
    return 0;
}

int annex_known_status(const char *path, annex_known_file *file) {
    return known_status(AT_FDCWD, path, 0, file);
}

int annex_known_entry(int directory, const char *name, annex_known_file *file) {
    return known_status(directory, name, AT_SYMLINK_NOFOLLOW, file);
}

int annex_attribute_is(const char *path, const char *name, char value) {
    char found;
    return getxattr(path, name, &found, 1) == 1 && found == value;
}

int annex_set_attribute(const char *path, const char *name, const void *value, size_t size) {
    return setxattr(path, name, value, size, 0) < 0 ? -errno : 0;
}

int annex_write_out(int descriptor, int waiting) {
    const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    return sync_file_range(descriptor, 0, 0, waiting ? all : SYNC_FILE_RANGE_WRITE) < 0 ? -errno : 0;
}

uint64_t annex_mount_number(const char *path) {
    // The headers do not have STATX_MNT_ID_UNIQUE and its field yet. The field stx_mnt_id is the 18th word.
    const unsigned mask = 0x4000;
    uint64_t status[32] = {0};
    if (syscall(SYS_statx, AT_FDCWD, path, 0, mask, status) < 0) return 0;
    return ((const uint32_t *)status)[0] & mask ? status[18] : 0;
}

static int is_no_copy(int error) {
    return error == EXDEV || error == EINVAL || error == EOPNOTSUPP || error == ENOSYS || error == ENOTTY ||
           error == EPERM || error == ETXTBSY;
}

// Copies with a buffer, from the offset of both files. For file systems without copy_file_range.
static int64_t copy_through_memory(int from, int to, uint64_t most) {
    char room[64 << 10];
    uint64_t done = 0;
    while (done < most) {
        size_t part = most - done < sizeof room ? (size_t)(most - done) : sizeof room;
        ssize_t got = pread(from, room, part, (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? -errno : (int64_t)done;
        for (ssize_t written = 0; written < got;) {
            ssize_t put = pwrite(to, room + written, (size_t)(got - written), (off_t)done + written);
            if (put < 0 && errno != EINTR) return -errno;
            if (put > 0) written += put;
        }
        done += (uint64_t)got;
    }
    return (int64_t)done;
}

int64_t annex_copy_file(int from, int to, uint64_t most) {
    struct stat source;
    if (fstat(from, &source) < 0) return -errno;
    if ((uint64_t)source.st_size <= most && ioctl(to, FICLONE, from) == 0) {
        // The file may have grown before the blocks were shared.
        struct stat copy;
        if (fstat(to, &copy) < 0) return -errno;
        if ((uint64_t)copy.st_size > most && ftruncate(to, (off_t)most) < 0) return -errno;
        return copy.st_size < (off_t)most ? copy.st_size : (int64_t)most;
    }
    uint64_t done = 0;
    while (done < most) {
        off_t input = (off_t)done, output = (off_t)done;
        size_t part = most - done < 1 << 30 ? (size_t)(most - done) : 1 << 30;
        ssize_t got = copy_file_range(from, &input, to, &output, part, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return is_no_copy(errno) && done == 0 ? copy_through_memory(from, to, most) : -errno;
        if (got == 0) break;
        done += (uint64_t)got;
    }
    // Some file systems of the kernel report an end of the file instead of an error.
    return done == 0 ? copy_through_memory(from, to, most) : (int64_t)done;
}

int annex_has_no_writer(int descriptor) {
    if (fcntl(descriptor, F_SETLEASE, F_RDLCK) < 0) return errno == EAGAIN || errno == EBUSY ? 0 : -errno;
    return fcntl(descriptor, F_SETLEASE, F_UNLCK) < 0 ? -errno : 1;
}
