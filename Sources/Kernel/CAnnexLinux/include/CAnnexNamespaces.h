// User namespaces as descriptors: of which process, whose, and within which other one.
#ifndef C_ANNEX_NAMESPACES_H
#define C_ANNEX_NAMESPACES_H

#include <stdint.h>

// The user namespace of a process by its pidfd (Linux 6.11; before, -ENOTTY or -EINVAL). A descriptor or -errno.
int annex_process_user_namespace(int process);
// The user namespace that a user namespace was made in; -EPERM where that is none of the caller's or below it.
int annex_parent_user_namespace(int space);
// Who made a user namespace, as the caller's own namespace counts. 0 or -errno.
int annex_user_namespace_owner(int space, uint32_t *user);

#endif
