// A process of its own that keeps a deadline for who may be stopped meanwhile.
#ifndef C_ANNEX_STAND_IN_H
#define C_ANNEX_STAND_IN_H

#include <stdint.h>

// Kills the process behind `pidfd` at a moment of CLOCK_MONOTONIC, in nanoseconds. It ends with the calling thread.
// Its number or -errno.
int annex_stand_in(int pidfd, uint64_t deadline);

// Ends and reaps it.
void annex_dismiss(int process);

#endif
