// The program lies at another address each time that it is executed. Nothing loads it but the kernel, so it puts its own
// tables of addresses right.
#ifndef ANNEX_RELOCATION_H
#define ANNEX_RELOCATION_H

#include <stdint.h>

// Before anything that uses such a table; 0 or -errno. Then those tables can be written no more.
// `stack` is as the kernel left it.
long relocation_finish(const uint64_t *stack);

#endif
