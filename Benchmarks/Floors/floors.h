// The common part of the floors: C at its best, without any of the checks that make a channel safe.
#ifndef FLOORS_H
#define FLOORS_H

#include "bench.h"

#include <stdatomic.h>

extern const bench_contender spin_line, spin_ring, spin_mailbox, floor_futex, floor_eventfd, floor_pipe, floor_stream,
    floor_seqpacket, mapped_copy, mapped_pieces, memfd_new, memfd_reused, memfd_answer, memcpy_warm, memcpy_cold,
    floor_bwrap, floor_cat;

// Two lines, because processors fetch neighbours in pairs.
enum { apart = 128 };

// Waits a moment for a word that another processor writes.
#define spin_while(condition) do { while (condition) bench_pause(); } while (0)

#endif
