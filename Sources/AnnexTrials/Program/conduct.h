// Attacks that one system call is not enough for: threads, children, signal handlers, other ways into the kernel.
#ifndef ANNEX_CONDUCT_H
#define ANNEX_CONDUCT_H

#include <stdint.h>

// The numbers of `Conduct` in Sources/AnnexTrials/Script.
enum {
    CONDUCT_FOREIGN_GATE = 1,  // int 0x80: call [0] by the 32-bit gate
};

// What it came to, or -errno.
int64_t conduct_take(int64_t number, const uint64_t arguments[6]);

#endif
