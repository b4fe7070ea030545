#define _GNU_SOURCE
#include "slots.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

size_t slot_room(const bench_plan *plan) {
    size_t larger = plan->request > plan->reply ? plan->request : plan->reply;
    return (sizeof(slot) + larger + 64 + apart - 1) / apart * apart;
}

void *slot_prepare(const bench_plan *plan, const slot_waiting *waiting) {
    slot_pair *pair = calloc(1, sizeof *pair);
    unsigned char *bytes = bench_shared(2 * slot_room(plan));
    if (!pair || !bytes) return NULL;
    pair->to = (slot *)(void *)bytes;
    pair->from = (slot *)(void *)(bytes + slot_room(plan));
    pair->waiting = waiting;
    return pair;
}

static void put(slot_pair *pair, slot *to, const void *bytes, size_t size, uint32_t number) {
    memcpy(to->bytes, bytes, size);
    to->size = (uint32_t)size;
    atomic_store_explicit(&to->number, number, memory_order_release);
    pair->waiting->wake(pair, to);
}

static size_t get(slot_pair *pair, slot *from, void *bytes, uint32_t number) {
    pair->waiting->wait(pair, from, number);
    size_t size = from->size;
    memcpy(bytes, from->bytes, size);
    return size;
}

size_t slot_call(void *state, const void *request, size_t size, void *reply, size_t room) {
    slot_pair *pair = state;
    (void)room;
    put(pair, pair->to, request, size, ++pair->number);
    return get(pair, pair->from, reply, pair->number);
}

void slot_serve(const bench_plan *plan, void *state) {
    slot_pair *pair = state;
    bench_server server = {0};
    void *request = malloc(slot_room(plan)), *reply = malloc(slot_room(plan));
    pair->is_server = true;
    for (uint32_t number = 1;; number++) {
        size_t size = get(pair, pair->to, request, number);
        put(pair, pair->from, reply, bench_answer(&server, request, size, reply, plan->reply + 64), number);
    }
}

// --- Neither side sleeps.

static void nothing(slot_pair *pair, slot *to) { (void)pair, (void)to; }

static void spin(slot_pair *pair, slot *from, uint32_t number) {
    (void)pair;
    spin_while(atomic_load_explicit(&from->number, memory_order_acquire) != number);
}

const slot_waiting slot_spinning = {nothing, spin};

// --- Both sides sleep at once, on the number itself.

static void wake(slot_pair *pair, slot *to) {
    (void)pair;
    syscall(SYS_futex, &to->number, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void sleep_on(slot_pair *pair, slot *from, uint32_t number) {
    (void)pair;
    for (uint32_t seen; (seen = atomic_load_explicit(&from->number, memory_order_acquire)) != number;)
        syscall(SYS_futex, &from->number, FUTEX_WAIT, seen, NULL, NULL, 0);
}

const slot_waiting slot_futex = {wake, sleep_on};
