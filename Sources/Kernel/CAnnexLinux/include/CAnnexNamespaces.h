// User namespaces as descriptors: the namespace of a process, its owner, and its parent.
#ifndef C_ANNEX_NAMESPACES_H
#define C_ANNEX_NAMESPACES_H

#include <stdint.h>

// The user namespace of a process, by its pidfd. A descriptor or -errno; before Linux 6.11 -ENOTTY or -EINVAL.
int annex_process_user_namespace(int process);
// The parent of a user namespace. -EPERM if the parent is neither the caller's own namespace nor below it.
int annex_parent_user_namespace(int space);
// The user who made a user namespace, as an ID in the caller's own namespace. 0 or -errno.
int annex_user_namespace_owner(int space, uint32_t *user);

// A new user namespace in which the user and the group `inside` stand for `outside`, for an id map. No process is in it. A
// descriptor, or -errno. Only for root.
int annex_user_namespace(uint32_t inside, uint32_t outside);

// Whether the file system of an open directory takes an id map. To test this, a clone of its mount gets a map of only
// `number`, and is dropped again. 0 or -errno. Only for root.
int annex_try_id_map(int directory, uint32_t number);

#endif
