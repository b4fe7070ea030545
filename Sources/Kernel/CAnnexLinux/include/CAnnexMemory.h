// Futexes on memory that two processes share, and mappings.
#ifndef C_ANNEX_MEMORY_H
#define C_ANNEX_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// Sleeps while `*word` is `expected`, at most `nanoseconds` long (negative: without limit). Returns 0 if the thread was
// woken, -EAGAIN if the value differs, -ETIMEDOUT, or -EINTR. Only the peer can cause any other result.
int annex_futex_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds);
// Wakes at most `count` sleepers. Returns the number of woken sleepers or -errno.
int annex_futex_wake(const uint32_t *word, int count);

// Sleeps without limit while `*word` is `expected` and `*own` is `seen`. Only this process uses `*own`. Returns 0 if
// the thread was woken on `word`, 1 if it was woken on `own`, -EAGAIN if one of the values differs, or -EINTR. Before
// Linux 5.16, returns -ENOSYS. Only the peer can cause any other result.
int annex_futex_wait_either(const uint32_t *word, uint32_t expected, const uint32_t *own, uint32_t seen);

// Sleeps while `*word` is `expected`. Only this process uses `*word`. The function may return early.
void annex_park(const uint32_t *word, uint32_t expected, uint32_t bits);
// Wakes one thread that sleeps on this word with any of these bits.
void annex_unpark(const uint32_t *word, uint32_t bits);

// Maps shared memory from the descriptor's start. Returns null and sets *error on failure.
void *annex_map_shared(int descriptor, size_t size, int writable, int *error);
// Excludes the mapping from forked children.
int annex_keep_from_children(void *start, size_t size);
// Copies from or to memory that a peer may change at the same time. The function is not inline, because the compiler
// must not read the source again instead of the copy.
void annex_copy_shared(void *to, const void *from, size_t size);

typedef uint64_t annex_wide __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t annex_word __attribute__((aligned(1), may_alias));

static inline __attribute__((always_inline)) void annex_copy_wide(char *to, const char *from) {
    *(volatile annex_wide *)to = *(const volatile annex_wide *)from;
}

// Copies a few cache lines without a function call. No byte is read twice.
static inline __attribute__((always_inline)) void annex_copy_small(void *target, const void *source, size_t size) {
    char *to = (char *)target;
    const char *from = (const char *)source;
    for (; size >= 64; size -= 64, to += 64, from += 64) {
        for (int part = 0; part < 64; part += 16) annex_copy_wide(to + part, from + part);
    }
    for (; size >= 16; size -= 16, to += 16, from += 16) annex_copy_wide(to, from);
    if (size >= 8) {
        *(volatile annex_word *)to = *(const volatile annex_word *)from;
        size -= 8, to += 8, from += 8;
    }
    for (; size > 0; size--) *(volatile char *)to++ = *(const volatile char *)from++;
}

// Clears memory up to the end of a cache line without a function call. `size` is less than 64 bytes.
static inline __attribute__((always_inline)) void annex_clear_small(void *target, size_t size) {
    char *to = (char *)target;
    for (; size >= 16; size -= 16, to += 16) *(volatile annex_wide *)to = (annex_wide){0, 0};
    if (size >= 8) {
        *(volatile annex_word *)to = 0;
        size -= 8, to += 8;
    }
    for (; size > 0; size--) *(volatile char *)to++ = 0;
}
int annex_unmap(void *start, size_t size);
// The number of the core on which the caller runs; negative if it is not known.
int annex_processor(void);

#endif
