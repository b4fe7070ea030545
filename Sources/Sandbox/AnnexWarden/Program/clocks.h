// Clocks of the sandbox's own. They hide when the machine was started, which is the same for all sandboxes on it.
#ifndef ANNEX_CLOCKS_H
#define ANNEX_CLOCKS_H

#include "launch.h"

long clocks_shift(struct launch *launch);

#endif
