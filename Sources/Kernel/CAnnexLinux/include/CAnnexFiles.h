// Functions that open files beneath a directory, rename them, read facts about them (flags, mount, status, extended
// attributes), and write their contents to the disk.
#ifndef C_ANNEX_FILES_H
#define C_ANNEX_FILES_H

#include <stddef.h>
#include <stdint.h>

// Calls openat2 so that the lookup never leaves the directory and follows no link of any kind. The result is
// close-on-exec.
int annex_open_beneath(int directory, const char *path, uint64_t flags, uint64_t mode);
// Opens a path that contains neither a symbolic nor a magic link. A relative path begins at the directory, and may leave it
// by `..`. Returns a close-on-exec descriptor or -errno.
// The error is -ELOOP if there is a link on the path.
int annex_open_without_links(int directory, const char *path, uint64_t flags);
// Calls renameat2 within a directory. Returns -EEXIST if the new name is not free, and -EINVAL if the file system
// cannot check that.
int annex_rename_new(int directory, const char *name, const char *other);
// Calls renameat2 to exchange the names of two entries in one step. Returns -EINVAL if the file system cannot exchange
// names.
int annex_rename_exchange(int directory, const char *name, const char *other);
// Opens a subdirectory for reading, with all rights for its owner. The function enters neither a link nor another
// file system. If the caller is not allowed to read the subdirectory, the function changes the subdirectory's mode
// before it opens the subdirectory. Returns a close-on-exec descriptor or -errno.
int annex_open_directory_within(int directory, const char *name);
// Sets a lock on an open file description (flock) without waiting: shared, exclusive or none. Returns 0 or -errno. The
// error is -EAGAIN if another open file description has a conflicting lock.
enum { ANNEX_LOCK_NONE, ANNEX_LOCK_SHARED, ANNEX_LOCK_EXCLUSIVE };
int annex_lock_whole(int descriptor, int kind);
// The flags of the open file description (F_GETFL).
int annex_status_flags(int descriptor);
// Returns 1 if the file lies on tmpfs, as every memfd of ordinary pages does. Otherwise returns 0, or -errno.
int annex_is_on_tmpfs(int descriptor);
// The number of the mount that contains a path. The kernel never uses such a number twice. Returns 0 if the path cannot
// be examined, or if the kernel is older than 6.8.
uint64_t annex_mount_number(const char *path);
// The facts that the kernel itself knows about a file. To get them, the kernel does not ask the server of a file
// system. Such a server might never answer.
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
// Fills `file` with the kernel's facts about the file at a path. A link at the path's end is followed. Returns 0 or
// -errno.
int annex_known_status(const char *path, annex_known_file *file);
// Fills `file` with the kernel's facts about a name in a directory. If the name is a link, the facts are those of the
// link itself. Returns 0 or -errno.
int annex_known_entry(int directory, const char *name, annex_known_file *file);
// Gives the file `to` the access control list of the file `from`. If `from` has no list, the list of `to` is removed.
// Returns 0 or -errno.
int annex_copy_access_list(int from, int to);
// Allows one other user to look up names in a directory, and allows the owner everything (acl(5)). Returns 0 or -errno.
int annex_allow_search(int directory, uint32_t user);
// Whether an extended attribute is exactly this one character.
int annex_attribute_is(const char *path, const char *name, char value);
// Calls setxattr. Returns 0 or -errno.
int annex_set_attribute(const char *path, const char *name, const void *value, size_t size);
// Starts to write a file's contents to the disk. With `waiting`, returns when they are written, though the disk may still
// hold them in its cache. Returns 0 or -errno.
int annex_write_out(int descriptor, int waiting);
// Copies a file from its start into an empty file, at most `most` bytes. If the file system can share the blocks of both
// files, it copies nothing. Returns how many bytes the copy has, or -errno.
int64_t annex_copy_file(int from, int to, uint64_t most);
// Whether no process has a file open for writing: the kernel grants a read lease only then (fcntl(2)). `descriptor` is
// open for reading only, and belongs to this user. Returns 1 or 0, or -errno if the kernel cannot say it.
int annex_has_no_writer(int descriptor);

#endif
