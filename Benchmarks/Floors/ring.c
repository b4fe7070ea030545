#include "ring.h"

#include <string.h>

enum { header = 8 };

ring_words *ring_make(size_t size) { return bench_shared(sizeof(ring_words) + size); }

ring_end ring_open(ring_words *words, size_t size) { return (ring_end){.words = words, .size = size}; }

static uint64_t rounded(size_t size) { return (header + size + 7) & ~(uint64_t)7; }

static void copy_in(ring_end *end, const void *bytes, size_t size, uint64_t at) {
    size_t offset = at & (end->size - 1), first = end->size - offset;
    if (first > size) first = size;
    memcpy(end->words->bytes + offset, bytes, first);
    if (size > first) memcpy(end->words->bytes, (const char *)bytes + first, size - first);
}

static void copy_out(ring_end *end, void *bytes, size_t size, uint64_t at) {
    size_t offset = at & (end->size - 1), first = end->size - offset;
    if (first > size) first = size;
    memcpy(bytes, end->words->bytes + offset, first);
    if (size > first) memcpy((char *)bytes + first, end->words->bytes, size - first);
}

void ring_publish(ring_end *end) {
    end->published = end->position;
    atomic_store_explicit(&end->words->produced, end->position, memory_order_release);
}

void ring_write(ring_end *end, const void *bytes, size_t size, bool publish) {
    uint64_t length = size;
    while (end->position + rounded(size) - end->seen > end->size) {
        // The reader makes the room, so it must see the frames that wait in the ring.
        if (end->published != end->position) ring_publish(end);
        bench_pause();
        end->seen = atomic_load_explicit(&end->words->consumed, memory_order_acquire);
    }
    copy_in(end, &length, header, end->position);
    copy_in(end, bytes, size, end->position + header);
    end->position += rounded(size);
    if (publish) ring_publish(end);
}

size_t ring_read(ring_end *end, void *bytes) {
    uint64_t length;
    if (end->seen == end->position)
        spin_while((end->seen = atomic_load_explicit(&end->words->produced, memory_order_acquire)) == end->position);
    copy_out(end, &length, header, end->position);
    copy_out(end, bytes, length, end->position + header);
    end->position += rounded(length);
    atomic_store_explicit(&end->words->consumed, end->position, memory_order_release);
    return length;
}
