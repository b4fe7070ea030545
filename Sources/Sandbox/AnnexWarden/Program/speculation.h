// Switches off leaking speculation in a sandbox permanently. If the machine offers core scheduling, the sandbox also
// gets its own core while it runs.
#ifndef ANNEX_SPECULATION_STEP_H
#define ANNEX_SPECULATION_STEP_H

#include "launch.h"

// The warden calls this once at its start, so that launches make no call that this machine does not offer.
void speculation_prepare(void);

long speculation_limit(struct launch *launch);

#endif
