// Words that two processes share. Each access is one atomic instruction on a 32-bit word. A peer that writes at the
// same time can neither tear a value nor make the compiler read it twice.
#ifndef C_ANNEX_ATOMICS_H
#define C_ANNEX_ATOMICS_H

#include <stdint.h>

static inline uint32_t annex_load_relaxed(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

static inline uint32_t annex_load_acquire(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void annex_store_relaxed(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline void annex_store_release(uint32_t *word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline void annex_add_release(uint32_t *word, uint32_t more) {
    __atomic_fetch_add(word, more, __ATOMIC_RELEASE);
}

static inline uint64_t annex_load_wide(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

static inline uint64_t annex_load_wide_acquire(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void annex_store_wide(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

static inline void annex_store_wide_release(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

// Makes an earlier store visible before a later load. No weaker fence does this.
static inline void annex_fence(void) {
#if defined(__x86_64__)
    // Any locked instruction is a full fence. It takes a third of the time of MFENCE, the instruction that compilers
    // choose.
    __asm__ volatile("lock orl $0, (%%rsp)" ::: "memory", "cc");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

// A fence directly after an atomic read-modify-write. If that operation is a locked instruction, it is already a full
// fence.
static inline void annex_fence_after_atomic(void) {
#if defined(__x86_64__)
    __asm__ volatile("" ::: "memory");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

// Tells the processor that this is a spin loop.
static inline void annex_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

#endif
