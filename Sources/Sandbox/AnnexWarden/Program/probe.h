// The warden's program is also the doctor's probe. Inside a sandbox, the probe tries calls that no sandbox may make,
// and reports the results.
#ifndef ANNEX_PROBE_H
#define ANNEX_PROBE_H

#include <stdint.h>

// Whether the program was executed under the probe's name; `stack` is as the kernel left it.
int probe_is_asked_for(const uint64_t *stack);

// Writes `probe` to descriptor 1, then ` CALL=ERRNO` for each attempt to make a user namespace, with 0 if it succeeded.
// A policy may kill the process at the first attempt.
_Noreturn void probe_run(void);

#endif
