// One launch, as both halves see it: the warden until the clone, and the child in its own copy after it.
#ifndef ANNEX_LAUNCH_H
#define ANNEX_LAUNCH_H

#include <stddef.h>

#include "children.h"
#include "plan.h"

struct launch {
    const annex_plan *plan;
    int descriptors[ANNEX_PLAN_DESCRIPTORS];  // that came with the plan
    uint32_t descriptor_count;
    int trees[ANNEX_PLAN_BINDS];  // cloned ahead of time, or -1: the child finds the source by its path
    uint64_t times[ANNEX_STEP_COUNT];
    uint32_t step, detail;  // where it stands; what a failure reports
    uint64_t begun;

    // The warden's half.
    int process, pidfd;
    int warden_end;

    // The child's half.
    int report;      // to the warden
    int root;        // the tmpfs that becomes the root
    int began_bare;  // in a mount namespace without anything of the host's (bare.c)
    uint64_t own_devices[ANNEX_PLAN_SCRATCHES + 1];  // of the root and of the scratches: where mount points may be made
    uint32_t own_count;
    int executable;  // opened inside
    int executed;    // with a reaper: the end of a pipe that the program's exec closes; -1 without
    uint64_t ahead;  // how far its clock is ahead of the warden's, in nanoseconds (clocks.c)
};

// A step answers 0 or more, or -errno with `launch->detail` saying on which item.
struct step {
    uint32_t number;
    long (*take)(struct launch *launch);
};

// Takes the steps in order and notes the time after each; 0, or the errno of the one that failed.
int launch_take(struct launch *launch, const struct step *steps, size_t count);

// What a report is about. All but the first come with a reaper only.
enum {
    REPORT_STEP,      // the filter is in force (`error` 0), or a step failed
    REPORT_PROGRAM,   // carries a pidfd of the program, which is the reaper's child
    REPORT_EXECUTED,  // the program's own code runs
    REPORT_STOPPED,   // `status`
    REPORT_ENDED,     // `status`
};

// What the child says to the warden.
struct child_report {
    uint32_t kind;
    uint32_t step;
    int32_t error;
    uint32_t detail;
    int32_t listener;  // the number of the listener in the child, or -1
    int32_t status;    // of the program, as wait4 gives it
    uint64_t times[ANNEX_STEP_COUNT];
};

// The plan in the static buffer becomes a child; whatever happens is noted in `child`. Takes the descriptors.
void launch_begin(struct child *child, size_t length, const int *descriptors, uint32_t count);

// Where a plan is received: aligned, and copied by the clone for the child to work from.
extern unsigned char launch_plan[ANNEX_PLAN_LARGEST];
// After a plan of `length` bytes was received: what a longer one before it left behind it is nobody's any more.
void launch_clear_rest(size_t length);

#endif
