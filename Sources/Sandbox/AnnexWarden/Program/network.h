// A network namespace that is prepared before a sandbox needs it, because making one is the slowest step of a launch.
#ifndef ANNEX_NETWORK_H
#define ANNEX_NETWORK_H

#include "plan.h"

void network_prepare(void);

// Chooses the flag with which clone3 gives the sandbox the network of its plan: CLONE_NEWNET, 0, or -errno.
long network_choose(const annex_plan *plan);

// Makes the spare namespace while the warden is idle, and only if the last launch could have used it and was not the
// first.
void network_make_spare(void);

#endif
