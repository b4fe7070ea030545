// Makes a process by clone3, or by the older clone where a filter refuses clone3.
#ifndef ANNEX_CLONING_H
#define ANNEX_CLONING_H

#include "kernel.h"

// Whether a filter may have refused clone3 with this result. A filter cannot read the flags of clone3, which lie in
// memory. So the filters of containers answer ENOSYS or EPERM to every clone3, and examine the flags of clone. If the
// kernel itself answers EPERM, clone gets the same answer.
static inline int cloning_is_refused(long result) { return result == -ENOSYS || result == -EPERM; }

// Makes the process by the older call. Returns as fork does, or -errno. CLONE_INTO_CGROUP has no effect.
long cloning_make_older(const struct clone_arguments *arguments);

// Makes the process by clone3, or by the older call if clone3 is refused. The arguments must not have CLONE_INTO_CGROUP.
long cloning_make(const struct clone_arguments *arguments);

#endif
