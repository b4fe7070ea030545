// The stack guard: a value that the compiler compares at the end of each function that holds an array.
#ifndef ANNEX_GUARD_H
#define ANNEX_GUARD_H

#include <stdint.h>

// Sets the value from the random bytes that the kernel leaves with the stack. The calling function must not use the
// guard itself.
void guard_seed(const uint64_t *stack);
// Sets a new value in a process that continues. The calling function must never return to a function that the old value
// guards.
void guard_renew(void);

#endif
