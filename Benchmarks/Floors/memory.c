// The cost of memory itself: one copy of the request, without a second process. Warm: the same bytes again and again.
// Cold: bytes that have left all caches.
#include "floors.h"

#include <stdlib.h>
#include <string.h>

enum { cold_bytes = 256 << 20 };

typedef struct memory {
    unsigned char *bytes;
    size_t step, size, at;
    bench_server server;
} memory;

static memory *make(const bench_plan *plan, size_t size) {
    memory *link = calloc(1, sizeof *link);
    size_t step = (plan->request + 4095) / 4096 * 4096;
    if (size < step) size = step;
    if (!link || !(link->bytes = bench_shared(size))) return NULL;
    link->step = step;
    link->size = size / step * step;
    return link;
}

static void *warm(const bench_plan *plan) { return make(plan, 0); }
static void *cold(const bench_plan *plan) { return make(plan, cold_bytes); }

static size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    memory *link = state;
    unsigned char *to = link->bytes + link->at;
    link->at = (link->at + link->step) % link->size;
    memcpy(to, request, size);
    return bench_answer(&link->server, to, size, reply, room);
}

const bench_contender memcpy_warm = {
    .name = "memcpy-warm", .about = "one process: written, copied once to the same place, verified", .prepare = warm,
    .call = call, .is_alone = true};
const bench_contender memcpy_cold = {
    .name = "memcpy-cold", .about = "one process: written, copied once to cold memory, verified", .prepare = cold,
    .call = call, .is_alone = true};
