// One place for a message in each direction, in memory that both sides map. Each floor has its own way to notify the
// other side.
#ifndef FLOORS_SLOTS_H
#define FLOORS_SLOTS_H

#include "floors.h"

typedef struct slot {
    _Alignas(apart) _Atomic uint32_t number;
    uint32_t size;
    unsigned char bytes[];
} slot;

// Publishes message `number`, and wakes a side that sleeps.
typedef struct slot_pair slot_pair;
typedef struct slot_waiting {
    void (*wake)(slot_pair *pair, slot *to);
    void (*wait)(slot_pair *pair, slot *from, uint32_t number);
} slot_waiting;

struct slot_pair {
    slot *to, *from;
    uint32_t number;
    // For floors that sleep on descriptors: the client's descriptor in [0], the server's in [1].
    int sleeps_on[2];
    bool is_server;
    const slot_waiting *waiting;
};

size_t slot_room(const bench_plan *plan);
void *slot_prepare(const bench_plan *plan, const slot_waiting *waiting);
size_t slot_call(void *state, const void *request, size_t size, void *reply, size_t room);
void slot_serve(const bench_plan *plan, void *state);

extern const slot_waiting slot_spinning, slot_futex;

#endif
