// The value that the compiler compares at the end of each function that holds an array.
#ifndef ANNEX_GUARD_H
#define ANNEX_GUARD_H

#include <stdint.h>

// Takes it from the random bytes that the kernel leaves with the stack. For a caller without a guard of its own.
void guard_seed(const uint64_t *stack);
// Another one, in a process that keeps it: for a caller that never returns to what the old one guards.
void guard_renew(void);

#endif
