// A process that enforces a deadline for a caller, because the caller may be stopped.
#ifndef C_ANNEX_STAND_IN_H
#define C_ANNEX_STAND_IN_H

#include <stdint.h>

// Starts a process that kills the process behind `pidfd` at a moment of CLOCK_MONOTONIC, in nanoseconds. The new
// process ends with the calling thread. Returns the number of the new process or -errno.
int annex_stand_in(int pidfd, uint64_t deadline);

// Kills and reaps a process that `annex_stand_in` started.
void annex_dismiss(int process);

#endif
