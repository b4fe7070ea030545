// The sandbox's own clocks. They hide the machine's start time, which is the same for all sandboxes on the machine.
#ifndef ANNEX_CLOCKS_H
#define ANNEX_CLOCKS_H

#include "launch.h"

long clocks_shift(struct launch *launch);

#endif
