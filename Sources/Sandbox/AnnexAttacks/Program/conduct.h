// Attacks that one system call is not enough for: floods, children, threads, other ways into the kernel.
#ifndef ANNEX_CONDUCT_H
#define ANNEX_CONDUCT_H

#include <stdint.h>

// The numbers of `Conduct` in Sources/Sandbox/AnnexAttacks/Script.
enum {
    CONDUCT_FOREIGN_GATE = 1,  // int 0x80: call [0] by the 32-bit gate
    CONDUCT_REPEAT = 2,        // call [0], at most [1] times until it fails, with [2]..[5]
    CONDUCT_PROBE = 3,         // the same, however often it fails: successes
    CONDUCT_SCAN = 4,          // call [0] with its first argument from [1] to below [2], then [3]..[5]
    CONDUCT_TOUCH = 5,         // takes and touches memory, at most [0] MiB
    CONDUCT_FORKS = 6,         // at most [0] children at once
    CONDUCT_THREADS = 7,       // at most [0] threads at once
    CONDUCT_FILES = 8,         // empty files in the directory named at [0], at most [1]
    CONDUCT_ORPHAN = 9,        // a child in a session of its own that lives for [0] seconds
    CONDUCT_LOCKS = 10,        // locks of one byte on file [0] by command [1] of fcntl, at most [2]
    CONDUCT_TABLES = 11,       // page tables for [0] GiB of addresses
    CONDUCT_FLIGHTS = 12,      // copies of descriptor [1] under way in at most [0] pairs of sockets
    CONDUCT_WATCHES = 13,      // each of at most [0] event queues watches all descriptors that are left
    CONDUCT_PIPES = 14,        // at most [0] pipes of [1] bytes: their pages
    CONDUCT_SIGNALS = 15,      // queued signals, at most [0]
    CONDUCT_BUFFERS = 16,      // at most [0] pairs of sockets, filled: KiB
    CONDUCT_LOOKUPS = 17,      // names that begin as the text at [0] and are nowhere, at most [1]
    CONDUCT_LOCK_TABLES = 18,  // locks on file [0] by command [1] of fcntl, by at most [2] tables of descriptors
};

// What it came to (how many, how much), or -errno.
int64_t conduct_take(int64_t number, const uint64_t arguments[6]);

// floods.c
int64_t flood_repeat(const uint64_t arguments[6]);
int64_t flood_probe(const uint64_t arguments[6]);
int64_t flood_scan(const uint64_t arguments[6]);
int64_t flood_touch(uint64_t mebibytes);
int64_t flood_files(const char *directory, uint64_t most);

// crowds.c
int64_t crowd_forks(uint64_t most);
int64_t crowd_threads(uint64_t most);
int64_t crowd_orphan(uint64_t seconds);
int64_t crowd_lock_tables(uint64_t file, uint64_t command, uint64_t most);

// objects.c
int64_t object_locks(uint64_t file, uint64_t command, uint64_t most);
int64_t object_locks_above(uint64_t above, uint64_t file, uint64_t command, uint64_t most);
int64_t object_tables(uint64_t gibibytes);
int64_t object_flights(uint64_t pairs, uint64_t descriptor);
int64_t object_watches(uint64_t half);
int64_t object_pipes(uint64_t most, uint64_t bytes);
int64_t object_signals(uint64_t most);
int64_t object_buffers(uint64_t pairs);
int64_t object_lookups(const char *beginning, uint64_t most);

#endif
