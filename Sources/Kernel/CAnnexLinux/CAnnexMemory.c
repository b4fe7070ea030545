#define _GNU_SOURCE
#include "CAnnexMemory.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int annex_futex_wait(const uint32_t *word, uint32_t expected, int64_t nanoseconds) {
    struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    // FUTEX_PRIVATE_FLAG is not set, because another process wakes this thread.
    long woken = syscall(SYS_futex, word, FUTEX_WAIT, expected, nanoseconds < 0 ? (void *)0 : &limit, (void *)0, 0);
    return woken < 0 ? -errno : 0;
}

int annex_futex_wake(const uint32_t *word, int count) {
    long woken = syscall(SYS_futex, word, FUTEX_WAKE, count, (void *)0, (void *)0, 0);
    return woken < 0 ? -errno : (int)woken;
}

// The number and the layout come from <linux/futex.h> of Linux 5.16. They are repeated here, because newer headers are
// not installed everywhere.
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
struct annex_futex_waiter {
    uint64_t expected, address;
    uint32_t flags, reserved;
};
enum { annex_futex_32_bits = 2, annex_futex_private = 128 };

int annex_futex_wait_either(const uint32_t *word, uint32_t expected, const uint32_t *own, uint32_t seen) {
    struct annex_futex_waiter waiters[] = {
        {.expected = expected, .address = (uintptr_t)word, .flags = annex_futex_32_bits},
        {.expected = seen, .address = (uintptr_t)own, .flags = annex_futex_32_bits | annex_futex_private},
    };
    long woken = syscall(SYS_futex_waitv, waiters, 2, 0, (void *)0, 0);
    return woken < 0 ? -errno : (int)woken;
}

void annex_park(const uint32_t *word, uint32_t expected, uint32_t bits) {
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, (void *)0, (void *)0, bits);
}

void annex_unpark(const uint32_t *word, uint32_t bits) {
    syscall(SYS_futex, word, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, 1, (void *)0, (void *)0, bits);
}

void *annex_map_shared(int descriptor, size_t size, int writable, int *error) {
    void *start = mmap((void *)0, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0);
    if (start == MAP_FAILED) {
        *error = errno;
        return (void *)0;
    }
    return start;
}

int annex_unmap(void *start, size_t size) { return munmap(start, size) < 0 ? -errno : 0; }

int annex_keep_from_children(void *start, size_t size) {
    return madvise(start, size, MADV_DONTFORK) < 0 ? -errno : 0;
}

void annex_copy_shared(void *to, const void *from, size_t size) { memcpy(to, from, size); }

int annex_processor(void) { return sched_getcpu(); }
