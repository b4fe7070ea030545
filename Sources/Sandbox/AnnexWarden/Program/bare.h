// A mount namespace that holds only an empty root, in which sandboxes begin. Without this namespace, a sandbox begins
// with a copy of the host's namespace. To free that copy, the kernel waits for a grace period and walks over every
// process of the machine.
#ifndef ANNEX_BARE_H
#define ANNEX_BARE_H

#include "launch.h"

void bare_prepare(void);

// Before the clone, `bare_enter` enters the bare namespace if the launch can begin there. After the clone, `bare_leave`
// leaves it. Both return 0 or -errno.
long bare_enter(struct launch *launch);
long bare_leave(void);

// Makes the namespace while the warden is idle, and only if the last launch could have used it.
void bare_make(void);

#endif
