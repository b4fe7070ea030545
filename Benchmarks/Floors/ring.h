// A ring for one writer and one reader, as usual in C. The positions lie in separate lines, and each side remembers the
// other's position. No value of the other side is checked.
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
// Spins for room; `publish` is whether the other side must see the message now.
void ring_write(ring_end *end, const void *bytes, size_t size, bool publish);
void ring_publish(ring_end *end);
// Spins for a message.
size_t ring_read(ring_end *end, void *bytes);

#endif
