// The warden's program also serves as the doctor's probe. Inside a sandbox, the probe tries calls that no sandbox may
// make, and reports the results.
#ifndef ANNEX_PROBE_H
#define ANNEX_PROBE_H

#include <stdint.h>

// Whether the program was executed under the probe's name. `stack` is the stack that the kernel left.
int probe_is_asked_for(const uint64_t *stack);

// Writes `probe` to descriptor 1, and then ` CALL=ERRNO` for each attempt to make a user namespace. The errno is 0 if
// the attempt succeeded. A policy may kill the process at the first attempt.
_Noreturn void probe_run(void);

#endif
