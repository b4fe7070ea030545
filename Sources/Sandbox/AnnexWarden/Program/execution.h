// Finds the executable inside the new root, compares it with the checked one, and executes it once.
#ifndef ANNEX_EXECUTION_H
#define ANNEX_EXECUTION_H

#include "launch.h"

long execution_enter_directory(struct launch *launch);
long execution_open(struct launch *launch);
// Returns only if the execution failed.
long execution_begin(struct launch *launch);

#endif
