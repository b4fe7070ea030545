// User namespaces as descriptors: that of a process, its owner, and its parent.
#ifndef C_ANNEX_NAMESPACES_H
#define C_ANNEX_NAMESPACES_H

#include <stdint.h>

// The user namespace of a process, by its pidfd. A descriptor or -errno; before Linux 6.11 -ENOTTY or -EINVAL.
int annex_process_user_namespace(int process);
// The parent of a user namespace. -EPERM if the parent is neither the caller's own namespace nor below it.
int annex_parent_user_namespace(int space);
// The user who made a user namespace, as an ID in the caller's own namespace. 0 or -errno.
int annex_user_namespace_owner(int space, uint32_t *user);

#endif
