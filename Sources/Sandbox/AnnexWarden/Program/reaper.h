// The warden's second role: the first process of a sandbox whose program has processes of its own, or must meet
// signals as it would anywhere else.
#ifndef ANNEX_REAPER_H
#define ANNEX_REAPER_H

#include "launch.h"

// With a reaper, returns in the program's process only; the first process stays behind and never returns.
long reaper_part_ways(struct launch *launch);

#endif
