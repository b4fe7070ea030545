// Attacks that one system call is not enough for: floods, children, threads, other ways into the kernel.
#ifndef ANNEX_CONDUCT_H
#define ANNEX_CONDUCT_H

#include <stdint.h>

// The numbers of `Conduct` in Sources/AnnexTrials/Script.
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

#endif
