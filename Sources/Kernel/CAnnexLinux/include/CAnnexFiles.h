// Opening beneath a directory, renaming, facts about files (flags, mount, status, extended attributes), and syncfs.
#ifndef C_ANNEX_FILES_H
#define C_ANNEX_FILES_H

#include <stddef.h>
#include <stdint.h>

// openat2 that never leaves the directory and follows no link of any kind. Close-on-exec.
int annex_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode);
// renameat2 within a directory. The new name must be free: -EEXIST if it is not. -EINVAL if the file system lacks this.
int annex_rename_new(int directory, const char *name, const char *other);
// renameat2 that gives each of two entries the other's name at once. -EINVAL if the file system lacks this.
int annex_rename_exchange(int directory, const char *name, const char *other);
// Opens a directory of a directory for reading, with all rights for its owner. Neither a link nor another file system is
// entered. If the caller may not read it, its mode is changed first. Close-on-exec; a descriptor or -errno.
int annex_open_directory_within(int directory, const char *name);
// A lock on an open file description (flock), without waiting: shared, exclusive or none. 0 or -errno; -EAGAIN if it is
// locked elsewhere.
enum { ANNEX_LOCK_NONE, ANNEX_LOCK_SHARED, ANNEX_LOCK_EXCLUSIVE };
int annex_lock_whole(int descriptor, int kind);
// The flags of the open file description (F_GETFL).
int annex_status_flags(int descriptor);
// 1 if the file lies on tmpfs, as every memfd of ordinary pages does; 0 if not, or -errno.
int annex_is_on_tmpfs(int descriptor);
// The number of the mount at a path, never used twice (kernel 6.8); 0 if there is none.
uint64_t annex_mount_number(const char *path);
// The facts that the kernel knows about a file. For them it need not ask the server of the file system, which may never
// answer.
typedef struct {
    uint64_t device;
    uint64_t inode;
    uint64_t blocks;  // of 512 bytes
    uint32_t links;
    uint32_t is_regular;
    uint32_t is_directory;
    uint32_t is_mounted;  // whether another file system begins here
    uint32_t is_on_device;
    uint64_t mount;  // its number in mountinfo; 0 if the kernel does not report it
} annex_known_file;
// Fills `file` with what the kernel knows of the file at a path. A link at the path's end is followed. 0 or -errno.
int annex_known_status(const char *path, annex_known_file *file);
// The same for a name in a directory, of a link itself.
int annex_known_entry(int directory, const char *name, annex_known_file *file);
// Gives a file the access control list of another. If that has none, takes away the file's own. 0 or -errno.
int annex_copy_access_list(int from, int to);
// Lets one other user look up names in a directory, and its owner do everything (acl(5)). 0 or -errno.
int annex_allow_search(int directory, uint32_t user);
// Whether an extended attribute is exactly this one character.
int annex_attribute_is(const char *path, const char *name, char value);
// setxattr. 0 or -errno.
int annex_set_attribute(const char *path, const char *name, const void *value, size_t size);
// syncfs: the whole file system of a file. 0 or -errno.
int annex_synchronize_file_system(int descriptor);

#endif
