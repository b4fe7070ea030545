// The state of one launch. After the clone, the warden and the child each use their own copy.
#ifndef ANNEX_LAUNCH_H
#define ANNEX_LAUNCH_H

#include <stddef.h>

#include "children.h"
#include "plan.h"

struct launch {
    const annex_plan *plan;
    int descriptors[ANNEX_PLAN_DESCRIPTORS];  // received with the plan
    uint32_t descriptor_count;
    int trees[ANNEX_PLAN_BINDS];  // cloned ahead of time, or -1: the child finds the source by its path
    uint64_t times[ANNEX_STEP_COUNT];
    uint32_t step, detail;  // the present step and item, for a failure's report
    uint64_t begun;

    // The warden's half.
    int process, pidfd;
    int warden_end;
    int group_file;  // `cgroup.procs` of a group of version 2 that the child itself must join, or -1

    // The child's half.
    int report;      // to the warden
    int root;        // the tmpfs that becomes the root
    int began_bare;  // in a mount namespace without the host's mounts (bare.c)
    uint64_t own_devices[ANNEX_PLAN_SCRATCHES + 1];  // the root and the scratches: mount points may be made there
    uint32_t own_count;
    int is_blind;    // inotify has no limits of the sandbox's own, so the program gets no queue
    int executable;  // opened inside
    int is_named;    // the plan's name leads to the object that the broker checked
    int executed;    // with a reaper: the end of a pipe that the program's exec closes; -1 without
    int32_t numbers_error;  // the errno for which process numbers do not begin at a random place, or 0 (numbers.c)
    uint64_t ahead;  // how far its clock is ahead of the warden's, in nanoseconds (clocks.c)
};

// A step returns 0 or more, or -errno. If it fails, `launch->detail` names the item that failed.
struct step {
    uint32_t number;
    long (*take)(struct launch *launch);
};

// Performs the steps in order and records the time after each step. Returns 0, or the errno of the step that failed.
int launch_take(struct launch *launch, const struct step *steps, size_t count);

// The kinds of reports. Only launches with a reaper send kinds other than REPORT_STEP and REPORT_LISTENER.
enum {
    REPORT_STEP,      // the filter is in force (`error` 0), or a step failed
    REPORT_PROGRAM,   // carries a pidfd of the program, which is the reaper's child
    REPORT_LISTENER,  // carries the listener, if the warden cannot take it; also without a reaper
    REPORT_SCRATCH,   // carries the top directory of the plan's `kept_scratch`
    REPORT_EXECUTED,  // the program's own code runs
    REPORT_STOPPED,   // `status`
    REPORT_ENDED,     // `status`; `detail`: whether other processes were still running
};

// The child's report to the warden.
struct child_report {
    uint32_t kind;
    uint32_t step;
    int32_t error;
    uint32_t detail;
    int32_t listener;  // the number of the listener in the child, or -1
    int32_t status;    // of the program, as wait4 gives it
    int32_t numbers_error;  // of `struct launch`
    uint32_t reserved;
    uint64_t times[ANNEX_STEP_COUNT];
};

// Makes a child from the plan in the static buffer. The result is recorded in `child`. The function takes ownership of
// the descriptors.
void launch_begin(struct child *child, size_t length, const int *descriptors, uint32_t count);

#if defined(__x86_64__)
#define PAGE_LARGEST 4096
#elif defined(__aarch64__)
#define PAGE_LARGEST 65536
#endif

// Room for the longest plan. Most of it is never touched, and then it costs no memory.
struct launch_memory {
    // Receives plans. The clone copies it, so that the child can read it. The part behind a packet begins and ends with
    // a page.
    _Alignas(PAGE_LARGEST) unsigned char plan[ANNEX_PLAN_LARGEST];
    // The pointers to the arguments and to the environment. Only the child uses them. Each list ends with a null.
    const char *texts[ANNEX_PLAN_TEXTS + 2];
};
extern struct launch_memory launch_memory;

// Prevents that the first use of the memory above touches a huge page.
void launch_prepare(void);
// Clears the first packet of the buffer behind `length` bytes, because an earlier plan may have left data there.
void launch_clear_rest(size_t length);
// Clears a plan of `length` bytes.
void launch_forget(size_t length);

#endif
