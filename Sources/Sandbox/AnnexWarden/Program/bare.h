// A mount namespace with nothing in it but an empty root, for sandboxes to begin in: a copy of the host's has to be
// taken apart again, which costs a grace period of the kernel and a walk over every process of the machine.
#ifndef ANNEX_BARE_H
#define ANNEX_BARE_H

#include "launch.h"

void bare_prepare(void);

// Goes there before the clone, where the launch can begin there, and comes back after it. 0 or -errno.
long bare_enter(struct launch *launch);
long bare_leave(void);

// Made only where one would have served the last launch, while nothing else is to be done.
void bare_make(void);

#endif
