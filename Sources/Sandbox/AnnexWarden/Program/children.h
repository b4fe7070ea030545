// The table of launches that the warden looks after: fixed in size, outside what a clone copies.
#ifndef ANNEX_CHILDREN_H
#define ANNEX_CHILDREN_H

#include <stdint.h>

#include "annex_warden.h"

#define CHILDREN_LARGEST 2048u

enum outcome { UNDECIDED, EXECUTED, FAILED };

struct child {
    uint32_t used;
    uint32_t generation;  // tells an event of this launch from one of an earlier one in the same place
    uint32_t pending;     // answers that are due, as 1 << kind
    uint32_t next_free;
    int pidfd;     // -1: no process was made, or it executed and needs none (ends.h)
    int report;    // the warden's end of the socket to the child; -1 once the child executed or ended
    int program;   // pidfd of the program where the child is its reaper, else -1
    int listener;  // taken from the child and not yet sent, else -1
    enum outcome outcome;
    uint32_t wants_listener;
    uint32_t has_reaper;
    uint32_t has_ended;      // its end was taken: its number may be another's
    uint32_t is_unwatched;   // no event tells its end
    uint32_t has_status;     // the reaper told how the program ended: `answer.status`
    uint64_t crowded_since;  // when an answer first found too many descriptors on their way, else 0
    int32_t listener_fault;  // a test's errno for that step
    annex_answer answer;     // what every answer about this launch is written from
    uint32_t removals_length;
    char removals[ANNEX_PLAN_REMOVAL_BYTES];  // texts, one after another, each with its NUL
};

// 0 or -errno.
long children_prepare(void);

// A place for a launch, or null when `reserve` places or fewer are left.
struct child *children_take(uint32_t reserve);

// Closes what is held for the launch.
void children_close(struct child *child);

// Gives the place back. Its removals stay known until the place is taken again, the longest unused first:
// a broker that dies right after an end has not removed them yet.
void children_release(struct child *child);

// Gives the child's process its number, by which its end will find it.
void children_name(struct child *child, int process);
// The living child that has this number, or null.
struct child *children_with(int process);

struct child *children_at(uint32_t index);
// Places from here on were never used: looking at them would only cost memory.
uint32_t children_end(void);
uint32_t children_index(const struct child *child);

// Notes that an answer is due; answers.c sends it.
void children_answer(struct child *child, uint32_t kind);
// The launch failed, unless that was decided before.
void children_fail(struct child *child, uint32_t step, int32_t error, uint32_t detail);

#endif
