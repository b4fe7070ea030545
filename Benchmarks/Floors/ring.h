// A ring for one writer and one reader, as C programs have it: positions apart, the other's position remembered, no
// check of anything the other side says.
#ifndef FLOORS_RING_H
#define FLOORS_RING_H

#include "floors.h"

typedef struct ring_words {
    _Alignas(apart) _Atomic uint64_t produced;
    _Alignas(apart) _Atomic uint64_t consumed;
    _Alignas(apart) unsigned char bytes[];
} ring_words;

typedef struct ring_end {
    ring_words *words;
    uint64_t size, position, published, seen;
} ring_end;

ring_words *ring_make(size_t size);
ring_end ring_open(ring_words *words, size_t size);
// Spins for room; `publish` says whether the other side is to see it now.
void ring_write(ring_end *end, const void *bytes, size_t size, bool publish);
void ring_publish(ring_end *end);
// Spins for a message.
size_t ring_read(ring_end *end, void *bytes);

#endif
