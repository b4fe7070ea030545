// The shortest possible way: number, length and payload lie side by side, in one place for each direction.
#include "slots.h"

#include <string.h>
#include <stdlib.h>

// This function does not use `slot_call`, because a call through a pointer would make the way longer.
static void put(slot *to, const void *bytes, size_t size, uint32_t number) {
    memcpy(to->bytes, bytes, size);
    to->size = (uint32_t)size;
    atomic_store_explicit(&to->number, number, memory_order_release);
}

static size_t get(slot *from, void *bytes, uint32_t number) {
    spin_while(atomic_load_explicit(&from->number, memory_order_acquire) != number);
    size_t size = from->size;
    memcpy(bytes, from->bytes, size);
    return size;
}

static void *prepare(const bench_plan *plan) { return slot_prepare(plan, &slot_spinning); }

static size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    slot_pair *pair = state;
    (void)room;
    put(pair->to, request, size, ++pair->number);
    return get(pair->from, reply, pair->number);
}

static void serve(const bench_plan *plan, void *state) {
    slot_pair *pair = state;
    bench_server server = {0};
    void *request = malloc(slot_room(plan)), *reply = malloc(slot_room(plan));
    for (uint32_t number = 1;; number++) {
        size_t size = get(pair->to, request, number);
        put(pair->from, reply, bench_answer(&server, request, size, reply, plan->reply + 64), number);
    }
}

const bench_contender spin_line = {
    .name = "spin-line", .about = "shared memory, both spin: number and payload side by side", .prepare = prepare,
    .call = call, .serve = serve};
