// The table of the warden's launches. Its size is fixed, and clones do not copy it.
#ifndef ANNEX_CHILDREN_H
#define ANNEX_CHILDREN_H

#include <stdint.h>

#include "annex_warden.h"

#define CHILDREN_LARGEST 2048u

enum outcome { UNDECIDED, EXECUTED, FAILED };

struct child {
    uint32_t used;
    uint32_t generation;  // distinguishes this launch's events from those of an earlier launch in the same slot
    uint32_t pending;     // answers that are due, as 1 << kind
    uint32_t next_free;
    int pidfd;     // -1: no process was made, or it executed without a reaper: SIGCHLD reports its end (ends.h)
    int report;    // the warden's end of the socket to the child; -1 once the child executed or ended
    int program;   // pidfd of the program if the child is its reaper, else -1
    int listener;  // taken from the child and not yet sent, else -1
    int scratch;   // got from the child and not yet sent, else -1
    enum outcome outcome;
    uint32_t wants_listener;
    uint32_t has_reaper;
    uint32_t has_ended;      // its end was collected: its number may be reused
    uint32_t is_unwatched;   // no event reports its end
    uint32_t has_status;     // the reaper reported how the program ended: `answer.status`
    uint32_t leaves_others;  // other processes were running when the program ended
    uint64_t crowded_since;  // since when sending an answer fails with ETOOMANYREFS, else 0
    int32_t listener_fault;  // the errno with which a test makes the step LISTENER fail, else 0
    annex_answer answer;     // the source of every answer about this launch
    uint32_t removals_length;
    char removals[ANNEX_PLAN_REMOVAL_BYTES];  // texts, one after another, each with its NUL
};

// Returns 0 or -errno.
long children_prepare(void);

// A slot for a launch, or null if `reserve` slots or fewer are free.
struct child *children_take(uint32_t reserve);

// Closes all descriptors held for the launch.
void children_close(struct child *child);

// Frees the slot. Its list of directories to remove is kept until the slot is used again. The reason is that a broker
// that dies right after the end of a launch has not removed these directories yet. The slot that has been free for
// the longest time is used first.
void children_release(struct child *child);

// Records the process number of the child. The end of the child is found by this number.
void children_name(struct child *child, int process);
// The child with this number whose end was not collected yet, or null if there is none.
struct child *children_with(int process);

struct child *children_at(uint32_t index);
// Slots from this index on were never used. An access to them would only cost memory.
uint32_t children_end(void);
uint32_t children_index(const struct child *child);

// Marks an answer as due; answers.c sends it.
void children_answer(struct child *child, uint32_t kind);
// Marks the launch as failed, unless its outcome is already decided.
void children_fail(struct child *child, uint32_t step, int32_t error, uint32_t detail);

#endif
