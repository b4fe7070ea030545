// Opening beneath a directory, and descriptors' own flags.
#ifndef C_ANNEX_FILES_H
#define C_ANNEX_FILES_H

#include <stddef.h>
#include <stdint.h>

// openat2 that never leaves the directory and follows no link of any kind; close-on-exec.
int annex_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode);
// F_GETFL.
int annex_status_flags(int descriptor);
// 1 where the file lies on tmpfs (also every memfd of ordinary pages), 0 where not, or -errno.
int annex_is_on_tmpfs(int descriptor);
// The number of the mount at a path, never used twice (kernel 6.8); 0 where there is none.
uint64_t annex_mount_number(const char *path);
// What is known of a file without asking whoever serves it: a file system elsewhere may never answer.
typedef struct {
    uint64_t device;
    uint64_t inode;
    uint64_t blocks;  // of 512 bytes
    uint32_t links;
    uint32_t is_regular;
    uint32_t is_on_device;
    uint64_t mount;  // its number in mountinfo; 0: this kernel does not tell
} annex_known_file;
// Links at the path's end are followed. 0 or -errno.
int annex_known_status(const char *path, annex_known_file *file);
// Whether an extended attribute has just this one character.
int annex_attribute_is(const char *path, const char *name, char value);
// setxattr. 0 or -errno.
int annex_set_attribute(const char *path, const char *name, const void *value, size_t size);
// syncfs: the whole file system of a file. 0 or -errno.
int annex_synchronize_file_system(int descriptor);

#endif
