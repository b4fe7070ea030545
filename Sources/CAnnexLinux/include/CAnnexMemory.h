// Futexes on memory that two processes share, and mappings.
#ifndef C_ANNEX_MEMORY_H
#define C_ANNEX_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// Sleeps while `*word` is `expected`, at most `nanoseconds` long (negative: without limit).
// 0: woken; -EAGAIN: another value; -ETIMEDOUT; -EINTR; anything else is the peer's doing.
int annex_futex_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds);
// Wakes at most `count` sleepers; the number woken or -errno.
int annex_futex_wake(const uint32_t *word, int count);

// A shared mapping from the descriptor's start; null and *error on failure.
void *annex_map_shared(int descriptor, size_t size, int writable, int *error);
// Children get no copy of the mapping.
int annex_keep_from_children(void *start, size_t size);
// Copies out of or into memory that a peer may change meanwhile. Not inline: the compiler must not
// read the source a second time in place of the copy.
void annex_copy_shared(void *to, const void *from, size_t size);

// The same for what fits into a few cache lines, without a call: no byte is read twice.
static inline void annex_copy_small(void *to, const void *from, size_t size) {
    typedef uint64_t wide __attribute__((vector_size(16), aligned(1), may_alias));
    typedef uint64_t word __attribute__((aligned(1), may_alias));
    size_t done = 0;
    for (; size - done >= sizeof(wide); done += sizeof(wide)) {
        wide value = *(const volatile wide *)((const char *)from + done);
        *(volatile wide *)((char *)to + done) = value;
    }
    if (size - done >= sizeof(word)) {
        uint64_t value = *(const volatile word *)((const char *)from + done);
        *(volatile word *)((char *)to + done) = value;
        done += sizeof(word);
    }
    for (; done < size; done++) ((volatile char *)to)[done] = ((const volatile char *)from)[done];
}

// Clears up to the end of a cache line, `size` of less than 64 bytes, without a call.
static inline void annex_clear_small(void *start, size_t size) {
    typedef uint64_t word __attribute__((aligned(1), may_alias));
    size_t done = 0;
    for (; size - done >= sizeof(word); done += sizeof(word)) *(volatile word *)((char *)start + done) = 0;
    for (; done < size; done++) ((volatile char *)start)[done] = 0;
}
int annex_unmap(void *start, size_t size);
// The core that the caller runs on; negative where nobody says.
int annex_processor(void);

#endif
