// The executable: found inside the new root, compared with the one that was checked, executed once.
#ifndef ANNEX_EXECUTION_H
#define ANNEX_EXECUTION_H

#include "launch.h"

long execution_enter_directory(struct launch *launch);
long execution_open(struct launch *launch);
// Returns only when it failed.
long execution_begin(struct launch *launch);

#endif
