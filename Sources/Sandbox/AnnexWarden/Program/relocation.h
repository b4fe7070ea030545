// The program lies at another address at each execution. It is loaded by the kernel without a dynamic linker, so it
// corrects its own tables of addresses.
#ifndef ANNEX_RELOCATION_H
#define ANNEX_RELOCATION_H

#include <stdint.h>

// Must run before any use of such a table. Returns 0 or -errno. Afterwards these tables are read-only. `stack` is as
// the kernel left it.
long relocation_finish(const uint64_t *stack);

#endif
