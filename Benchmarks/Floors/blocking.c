// Payload in shared memory, both sides asleep between messages: on a futex, or in an eventfd.
#include "slots.h"

#include <sys/eventfd.h>
#include <unistd.h>

static void *futex(const bench_plan *plan) { return slot_prepare(plan, &slot_futex); }

const bench_contender floor_futex = {
    .name = "futex", .about = "shared memory, both sleep: futex", .prepare = futex, .call = slot_call,
    .serve = slot_serve};

static void ring(slot_pair *pair, slot *to) {
    (void)to;
    uint64_t one = 1;
    if (write(pair->sleeps_on[!pair->is_server], &one, sizeof one) < 0) bench_leave(1);
}

static void await(slot_pair *pair, slot *from, uint32_t number) {
    uint64_t count;
    while (atomic_load_explicit(&from->number, memory_order_acquire) != number)
        if (read(pair->sleeps_on[pair->is_server], &count, sizeof count) < 0) bench_leave(1);
}

static const slot_waiting by_eventfd = {ring, await};

static void *eventfds(const bench_plan *plan) {
    slot_pair *pair = slot_prepare(plan, &by_eventfd);
    for (int side = 0; pair && side < 2; side++)
        if ((pair->sleeps_on[side] = eventfd(0, EFD_CLOEXEC)) < 0) return NULL;
    return pair;
}

const bench_contender floor_eventfd = {
    .name = "eventfd", .about = "shared memory, both sleep: eventfd", .prepare = eventfds, .call = slot_call,
    .serve = slot_serve};
