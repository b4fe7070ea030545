// At each execution, the program lies at another address. The kernel loads it without a dynamic linker, so the program
// corrects its own tables of addresses.
#ifndef ANNEX_RELOCATION_H
#define ANNEX_RELOCATION_H

#include <stdint.h>

// This must run before any use of a table of addresses. Returns 0 or -errno. After that, these tables are read-only.
// `stack` is the stack that the kernel left.
long relocation_finish(const uint64_t *stack);

#endif
