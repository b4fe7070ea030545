// The executable is found inside the new root, compared with the checked one, and executed once.
#ifndef ANNEX_EXECUTION_H
#define ANNEX_EXECUTION_H

#include "launch.h"

long execution_enter_directory(struct launch *launch);
long execution_open(struct launch *launch);
// Returns only if the execution failed.
long execution_begin(struct launch *launch);

#endif
