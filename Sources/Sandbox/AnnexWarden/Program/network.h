// A network namespace that is ready before a sandbox needs it: making one is the dearest step of a launch.
#ifndef ANNEX_NETWORK_H
#define ANNEX_NETWORK_H

#include "plan.h"

void network_prepare(void);

// What clone3 has to make so that the sandbox gets the network of its plan: CLONE_NEWNET, 0, or -errno.
long network_choose(const annex_plan *plan);

// Made only where one would serve the next launch, while nothing else is to be done.
void network_make_spare(void);

#endif
