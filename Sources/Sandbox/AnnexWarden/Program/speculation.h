// Switches off leaking speculation in a sandbox for good, and gives it a core of its own while it runs, if the machine
// offers that.
#ifndef ANNEX_SPECULATION_STEP_H
#define ANNEX_SPECULATION_STEP_H

#include "launch.h"

// Called once at the warden's start, so that launches make no call that this machine does not offer.
void speculation_prepare(void);

long speculation_limit(struct launch *launch);

#endif
