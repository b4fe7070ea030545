// Speculation that leaks, off for good in a sandbox, and a core of its own while it runs: where they are offered.
#ifndef ANNEX_SPECULATION_STEP_H
#define ANNEX_SPECULATION_STEP_H

#include "launch.h"

// Once, when the warden begins: launches make no call that this machine does not offer.
void speculation_prepare(void);

long speculation_limit(struct launch *launch);

#endif
