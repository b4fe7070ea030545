// What an extension does that ends it.
#ifndef BENCH_CONDUCT_H
#define BENCH_CONDUCT_H

#include <stddef.h>

// A call that every policy answers with the caller's end.
void bench_call_denied(void);

// A call that the sandbox refuses, again and again.
_Noreturn void bench_flood_refusals(void);

// A signal to itself that it ignores, again and again.
_Noreturn void bench_flood_signals(void);
// Takes and writes so much, for ever.
void bench_use_memory(size_t bytes);

#endif
