// Actions of an extension that end it.
#ifndef BENCH_CONDUCT_H
#define BENCH_CONDUCT_H

#include <stddef.h>

// Makes a call for which every policy ends the caller.
void bench_call_denied(void);

// Makes a call that the sandbox refuses, again and again.
_Noreturn void bench_flood_refusals(void);

// Sends itself a signal that it ignores, again and again.
_Noreturn void bench_flood_signals(void);
// Takes this much memory, writes to it once, and never frees it.
void bench_use_memory(size_t bytes);

#endif
