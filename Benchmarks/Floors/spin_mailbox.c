// Two mailboxes. A flag in a line of its own states whether the box is full, and its reader empties it.
#include "floors.h"

#include <stdlib.h>
#include <string.h>

typedef struct box {
    _Alignas(apart) _Atomic uint32_t is_full;
    _Alignas(apart) uint32_t size;
    unsigned char bytes[];
} box;

typedef struct { box *to, *from; } pair;

static size_t room(const bench_plan *plan) {
    size_t larger = plan->request > plan->reply ? plan->request : plan->reply;
    return (sizeof(box) + larger + 64 + apart - 1) / apart * apart;
}

static void *prepare(const bench_plan *plan) {
    pair *link = malloc(sizeof *link);
    unsigned char *bytes = bench_shared(2 * room(plan));
    if (!link || !bytes) return NULL;
    *link = (pair){(box *)(void *)bytes, (box *)(void *)(bytes + room(plan))};
    return link;
}

static void put(box *to, const void *bytes, size_t size) {
    spin_while(atomic_load_explicit(&to->is_full, memory_order_acquire));
    memcpy(to->bytes, bytes, size);
    to->size = (uint32_t)size;
    atomic_store_explicit(&to->is_full, 1, memory_order_release);
}

static size_t get(box *from, void *bytes) {
    spin_while(!atomic_load_explicit(&from->is_full, memory_order_acquire));
    size_t size = from->size;
    memcpy(bytes, from->bytes, size);
    atomic_store_explicit(&from->is_full, 0, memory_order_release);
    return size;
}

static size_t call(void *state, const void *request, size_t size, void *reply, size_t limit) {
    pair *link = state;
    (void)limit;
    put(link->to, request, size);
    return get(link->from, reply);
}

static void serve(const bench_plan *plan, void *state) {
    pair *link = state;
    bench_server server = {0};
    void *request = malloc(room(plan)), *reply = malloc(room(plan));
    for (;;) {
        size_t size = get(link->to, request);
        put(link->from, reply, bench_answer(&server, request, size, reply, plan->reply + 64));
    }
}

const bench_contender spin_mailbox = {
    .name = "spin-mailbox", .about = "shared memory, both spin: two mailboxes, flag and payload apart",
    .prepare = prepare, .call = call, .serve = serve};
