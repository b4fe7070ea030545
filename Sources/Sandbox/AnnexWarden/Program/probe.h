// The same program as the doctor's probe: inside a sandbox it tries what no sandbox may, and tells what came of it.
#ifndef ANNEX_PROBE_H
#define ANNEX_PROBE_H

#include <stdint.h>

// Whether the program was executed under the probe's name; the stack is as the kernel left it.
int probe_is_asked_for(const uint64_t *stack);

// Tells `probe` on descriptor 1, then ` CALL=ERRNO` for each way to a user namespace that it tried, 0 where one was
// made. A policy may end it at the first.
_Noreturn void probe_run(void);

#endif
