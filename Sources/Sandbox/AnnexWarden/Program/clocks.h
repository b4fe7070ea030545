// Clocks of the sandbox's own: when the machine was started, which is the same for all on it, is not to be seen.
#ifndef ANNEX_CLOCKS_H
#define ANNEX_CLOCKS_H

#include "launch.h"

long clocks_shift(struct launch *launch);

#endif
