// The numbers that the kernel gives to the processes of a sandbox.
#ifndef ANNEX_NUMBERS_H
#define ANNEX_NUMBERS_H

#include "launch.h"

// Returns 0 or -errno. A machine that cannot do this is no failure: `launch->numbers_error` says why.
long numbers_begin(struct launch *launch);

#endif
