// The warden's second role: the first process of a sandbox. It is used if the program has several processes, or must
// receive signals as it does outside a sandbox.
#ifndef ANNEX_REAPER_H
#define ANNEX_REAPER_H

#include "launch.h"

// With a reaper, this function returns only in the program's process. The first process stays in this function and
// never returns.
long reaper_part_ways(struct launch *launch);

#endif
