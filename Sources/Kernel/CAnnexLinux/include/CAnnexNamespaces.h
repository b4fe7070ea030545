// User namespaces as descriptors: the namespace of a process, its owner, and its parent.
#ifndef C_ANNEX_NAMESPACES_H
#define C_ANNEX_NAMESPACES_H

#include <stdint.h>

// Opens the user namespace of a process, which is given by its pidfd. Returns a descriptor or -errno. Before Linux
// 6.11, the error is -ENOTTY or -EINVAL.
int annex_process_user_namespace(int process);
// The parent of a user namespace. The error is -EPERM if the parent is neither the caller's own namespace nor below it.
int annex_parent_user_namespace(int space);
// The user that made a user namespace, as an ID in the caller's own namespace. Returns 0 or -errno.
int annex_user_namespace_owner(int space, uint32_t *user);

// Makes a user namespace for an id map. The texts are the lines of its `uid_map` and its `gid_map`. The namespace
// contains no process. Returns a descriptor or -errno. Only root can call this.
int annex_user_namespace(const char *users, const char *groups);

// Tests whether the file systems of an open object, and of everything that is mounted in it, support an id map. For the
// test, a clone of the mounts gets the map of a user namespace. The clone is then removed. Returns 0 or -errno. Only root
// can call this.
int annex_try_id_map(int object, int space);

#endif
