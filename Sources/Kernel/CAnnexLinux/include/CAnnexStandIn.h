// A process that keeps a deadline for a caller that may be stopped meanwhile.
#ifndef C_ANNEX_STAND_IN_H
#define C_ANNEX_STAND_IN_H

#include <stdint.h>

// Starts a process that kills the process behind `pidfd` at a moment of CLOCK_MONOTONIC, in nanoseconds. It ends with
// the calling thread. Returns its number or -errno.
int annex_stand_in(int pidfd, uint64_t deadline);

// Kills and reaps this process.
void annex_dismiss(int process);

#endif
