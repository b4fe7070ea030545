// Actions that take more than one system call: floods, children, threads, other ways into the kernel.
#ifndef ANNEX_CONDUCT_H
#define ANNEX_CONDUCT_H

#include <stdint.h>

// These numbers must equal those of `Conduct` in Sources/Sandbox/AnnexAttacks/Script.
enum {
    CONDUCT_FOREIGN_GATE = 1,  // makes call [0] by the 32-bit gate, int 0x80
    CONDUCT_REPEAT = 2,        // repeats call [0] with [2]..[5] until it fails, at most [1] times
    CONDUCT_PROBE = 3,         // repeats call [0] [1] times even if it fails; counts the successes
    CONDUCT_SCAN = 4,          // makes call [0] with each first argument from [1] to below [2], then [3]..[5]
    CONDUCT_TOUCH = 5,         // maps and touches at most [0] MiB of memory
    CONDUCT_FORKS = 6,         // starts at most [0] children at once
    CONDUCT_THREADS = 7,       // starts at most [0] threads at once
    CONDUCT_FILES = 8,         // creates at most [1] empty files in the directory whose path is at [0]
    CONDUCT_ORPHAN = 9,        // starts a child in a session of its own that lives for [0] seconds
    CONDUCT_LOCKS = 10,        // sets at most [2] locks of one byte on file [0] by command [1] of fcntl
    CONDUCT_TABLES = 11,       // makes the kernel allocate page tables for [0] GiB of addresses
    CONDUCT_FLIGHTS = 12,      // sends copies of descriptor [1] into at most [0] pairs of sockets, unread
    CONDUCT_WATCHES = 13,      // makes at most [0] event queues that each watch all remaining descriptors
    CONDUCT_PIPES = 14,        // makes at most [0] pipes of [1] bytes; counts their pages
    CONDUCT_SIGNALS = 15,      // queues at most [0] signals
    CONDUCT_BUFFERS = 16,      // fills at most [0] pairs of sockets; counts the KiB
    CONDUCT_LOOKUPS = 17,      // looks up at most [1] missing names that begin with the text at [0]
    CONDUCT_LOCK_TABLES = 18,  // locks file [0] by command [1] of fcntl, with at most [2] descriptor tables
};

// Performs the action `number`. Returns its result (a number or an amount), or -errno.
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
