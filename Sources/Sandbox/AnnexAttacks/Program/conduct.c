#include "conduct.h"

#include "kernel.h"

// Enters the kernel by the 32-bit gate (int 0x80). At this gate, the same numbers mean other calls.
static int64_t foreign_gate(uint64_t number) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(0), "c"(0), "d"(0)
                     : "r8", "r9", "r10", "r11", "memory");
    // The gate's results are 32 bits wide.
    return (int32_t)result;
#else
    (void)number;
    return -ENOSYS;
#endif
}

int64_t conduct_take(int64_t number, const uint64_t arguments[6]) {
    switch (number) {
    case CONDUCT_FOREIGN_GATE: return foreign_gate(arguments[0]);
    case CONDUCT_REPEAT: return flood_repeat(arguments);
    case CONDUCT_PROBE: return flood_probe(arguments);
    case CONDUCT_SCAN: return flood_scan(arguments);
    case CONDUCT_TOUCH: return flood_touch(arguments[0]);
    case CONDUCT_FORKS: return crowd_forks(arguments[0]);
    case CONDUCT_THREADS: return crowd_threads(arguments[0]);
    case CONDUCT_FILES: return flood_files((const char *)(uintptr_t)arguments[0], arguments[1]);
    case CONDUCT_ORPHAN: return crowd_orphan(arguments[0]);
    case CONDUCT_LOCKS: return object_locks(arguments[0], arguments[1], arguments[2]);
    case CONDUCT_TABLES: return object_tables(arguments[0]);
    case CONDUCT_FLIGHTS: return object_flights(arguments[0], arguments[1]);
    case CONDUCT_WATCHES: return object_watches(arguments[0]);
    case CONDUCT_PIPES: return object_pipes(arguments[0], arguments[1]);
    case CONDUCT_SIGNALS: return object_signals(arguments[0]);
    case CONDUCT_BUFFERS: return object_buffers(arguments[0]);
    case CONDUCT_LOCK_TABLES: return crowd_lock_tables(arguments[0], arguments[1], arguments[2]);
    case CONDUCT_LOOKUPS: return object_lookups((const char *)(uintptr_t)arguments[0], arguments[1]);
    default: return -EINVAL;
    }
}
