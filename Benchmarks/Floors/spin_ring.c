// Two rings with positions, with both sides spinning; and one ring for one-way messages.
#include "ring.h"

#include <stdlib.h>

enum { smallest = 65536 };

typedef struct { ring_end to, from; } pair;

static size_t capacity(const bench_plan *plan) {
    size_t larger = plan->request > plan->reply ? plan->request : plan->reply, size = smallest;
    while (size < 2 * larger) size *= 2;
    return size;
}

static void *prepare(const bench_plan *plan) {
    pair *link = malloc(sizeof *link);
    size_t size = capacity(plan);
    ring_words *to = ring_make(size), *from = ring_make(size);
    if (!link || !to || !from) return NULL;
    *link = (pair){ring_open(to, size), ring_open(from, size)};
    return link;
}

static size_t call(void *state, const void *request, size_t size, void *reply, size_t limit) {
    pair *link = state;
    (void)limit;
    ring_write(&link->to, request, size, true);
    return ring_read(&link->from, reply);
}

static bool post(void *state, const void *message, size_t size, bool flush) {
    pair *link = state;
    ring_write(&link->to, message, size, flush);
    return true;
}

static void serve(const bench_plan *plan, void *state) {
    pair *link = state;
    bench_server server = {0};
    size_t larger = plan->request > plan->reply ? plan->request : plan->reply;
    void *request = malloc(larger + 64), *reply = malloc(larger + 64);
    for (;;) {
        size_t size = ring_read(&link->to, request);
        size_t length = bench_answer(&server, request, size, reply, plan->reply + 64);
        if (length) ring_write(&link->from, reply, length, true);
    }
}

const bench_contender spin_ring = {
    .name = "spin-ring", .about = "shared memory, both spin: two rings with positions", .prepare = prepare,
    .call = call, .post = post, .serve = serve};
