// Large messages, copied through memory that stays mapped: written in private memory, copied in, copied out, verified.
// The message goes as a whole, or in pieces, so that both sides copy at the same time.
#include "ring.h"
#include "slots.h"

#include <stdlib.h>

static void *prepare(const bench_plan *plan) {
    return slot_prepare(plan, plan->waiting == bench_spin ? &slot_spinning : &slot_futex);
}

const bench_contender mapped_copy = {
    .name = "mapped-copy", .about = "copied through shared memory that stays mapped, at once", .prepare = prepare,
    .call = slot_call, .serve = slot_serve};

// In pieces: the ring holds a few pieces, and each piece is copied out as soon as it has arrived.
enum { piece = 65536, pieces = 4 };

typedef struct { ring_end to, from; } pair;

static void *prepare_pieces(const bench_plan *plan) {
    (void)plan;
    pair *link = malloc(sizeof *link);
    ring_words *to = ring_make(piece * pieces), *from = ring_make(piece * pieces);
    if (!link || !to || !from) return NULL;
    *link = (pair){ring_open(to, piece * pieces), ring_open(from, piece * pieces)};
    return link;
}

static void put(ring_end *end, const unsigned char *bytes, size_t size) {
    uint64_t length = size;
    ring_write(end, &length, sizeof length, true);
    for (size_t done = 0; done < size; done += piece)
        ring_write(end, bytes + done, size - done < piece ? size - done : piece, true);
}

static size_t get(ring_end *end, unsigned char *bytes) {
    uint64_t length, done = 0;
    ring_read(end, &length);
    while (done < length) done += ring_read(end, bytes + done);
    return length;
}

static size_t call(void *state, const void *request, size_t size, void *reply, size_t room) {
    pair *link = state;
    (void)room;
    put(&link->to, request, size);
    return get(&link->from, reply);
}

static void serve(const bench_plan *plan, void *state) {
    pair *link = state;
    bench_server server = {0};
    void *request = malloc(slot_room(plan)), *reply = malloc(slot_room(plan));
    for (;;) {
        size_t size = get(&link->to, request);
        put(&link->from, reply, bench_answer(&server, request, size, reply, plan->reply + 64));
    }
}

const bench_contender mapped_pieces = {
    .name = "mapped-pieces", .about = "copied through shared memory that stays mapped, piece by piece, both spin",
    .prepare = prepare_pieces, .call = call, .serve = serve};
