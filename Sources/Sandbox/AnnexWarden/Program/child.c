#include "child.h"

#include "clocks.h"
#include "confinement.h"
#include "descriptors.h"
#include "execution.h"
#include "lending.h"
#include "mounts.h"
#include "numbers.h"
#include "parts.h"
#include "passing.h"
#include "privileges.h"
#include "reaper.h"
#include "speculation.h"
#include "surroundings.h"
#include "syscalls.h"

#define CROWDED_PAUSE_NS 2000000
#define CROWDED_ATTEMPTS 1000

// The lender's thread begins before a limit of processes holds, which would count it.
static long set_limits(struct launch *launch) {
    long result = lending_begin(launch);
    return result < 0 ? result : surroundings_set_limits(launch);
}

// The child takes the steps in this order. Docs/Design/Warden.md gives the reason for the position of each step.
static const struct step child_steps[] = {
    {ANNEX_STEP_CGROUP, surroundings_join_groups},
    {ANNEX_STEP_CLOCKS, clocks_shift},
    {ANNEX_STEP_NUMBERS, numbers_begin},
    {ANNEX_STEP_WATCHES, surroundings_limit_watches},
    {ANNEX_STEP_IDENTITY, privileges_take_identity},
    {ANNEX_STEP_PROPAGATION, mounts_make_private},
    {ANNEX_STEP_ROOT, mounts_make_root},
    {ANNEX_STEP_SCRATCHES, mounts_make_scratches},
    {ANNEX_STEP_BINDS, mounts_bind},
    {ANNEX_STEP_LINKS, mounts_make_links},
    {ANNEX_STEP_FILES, mounts_make_files},
    {ANNEX_STEP_PARTS, parts_mount},
    {ANNEX_STEP_PROC, mounts_make_proc},
    {ANNEX_STEP_PIVOT, mounts_pivot},
    {ANNEX_STEP_HOSTNAME, surroundings_set_hostname},
    {ANNEX_STEP_LOOPBACK, surroundings_raise_loopback},
    {ANNEX_STEP_DIRECTORY, execution_enter_directory},
    {ANNEX_STEP_EXECUTABLE, execution_open},
    {ANNEX_STEP_SESSION, surroundings_begin_session},
    {ANNEX_STEP_CAPABILITIES, privileges_drop_capabilities},
    {ANNEX_STEP_LIFELINE, privileges_tie_to_warden},
    {ANNEX_STEP_NO_NEW_PRIVS, privileges_gain_no_more},
    {ANNEX_STEP_SPECULATION, speculation_limit},
    {ANNEX_STEP_REAPER, reaper_part_ways},
    {ANNEX_STEP_DESCRIPTORS, descriptors_place},
    {ANNEX_STEP_LANDLOCK, confinement_restrict_paths},
    {ANNEX_STEP_LIMITS, set_limits},
    {ANNEX_STEP_SECCOMP, confinement_filter_calls},
    {ANNEX_STEP_EXEC, execution_begin},
};

_Noreturn void child_run(struct launch *launch) {
    // The clone copied the warden's end of the report socket. While this copy is open, the child cannot notice the
    // warden's death, so the child closes the copy.
    close_descriptor(launch->warden_end);
    privileges_die_with_warden();
    // The child reports only the times of its own steps. The warden has recorded the times of the earlier steps.
    for (uint32_t i = 0; i < ANNEX_STEP_COUNT; i++) launch->times[i] = 0;
    int error = launch_take(launch, child_steps, sizeof child_steps / sizeof *child_steps);
    child_say(launch, error, -1);
    leave(126);
}

void child_say(struct launch *launch, int error, int listener) {
    // The struct is static and not on the stack, so that all of it is zeroed, even its padding.
    static struct child_report report;
    report.kind = REPORT_STEP;
    report.step = launch->step;
    report.error = error;
    report.detail = launch->detail;
    report.listener = listener;
    report.numbers_error = launch->numbers_error;
    for (uint32_t i = 0; i < ANNEX_STEP_COUNT; i++) report.times[i] = launch->times[i];
    // If the filter refuses even this call, the end of the process shows the failure.
    CALL(NR_write, launch->report, &report, sizeof report);
}

long child_send(const struct launch *launch, uint32_t kind, int descriptor) {
    static struct child_report report;
    report = (struct child_report){.kind = kind};
    long sent = passing_send(launch->report, &report, sizeof report, descriptor, 0);
    // ETOOMANYREFS means that too many descriptors of this user were sent and not received yet. The warden's answers
    // can fail in the same way. Other processes will soon receive these descriptors, so the loop tries again.
    const struct time pause = {0, CROWDED_PAUSE_NS};
    for (int i = 0; sent == -ETOOMANYREFS && i < CROWDED_ATTEMPTS; i++) {
        CALL(NR_nanosleep, &pause, 0);
        sent = passing_send(launch->report, &report, sizeof report, descriptor, 0);
    }
    CALL(NR_close, descriptor);
    return sent < 0 ? sent : 0;
}

void child_wait_for_warden(struct launch *launch) {
    char go;
    if (CALL(NR_read, launch->report, &go, sizeof go) != sizeof go) leave(126);
}
