// The driver's questions to the second process, besides the measured messages.
#include "bench.h"

bool bench_configure(bench_call call, void *link, uint64_t reply, uint64_t delay);
bool bench_ask_processor(bench_call call, void *link, uint64_t *answer);
bool bench_ask_received(bench_call call, void *link, uint64_t *answer);
