#include "speculation.h"

#include "annex_speculation.h"
#include "syscalls.h"
#include "warden.h"

// The controls that a sandbox asks for. PR_SPEC_L1D_FLUSH is missing, because it protects the secrets of a process that
// leaves the processor. Here, the host has the secrets, and not the sandbox.
static const struct {
    uint32_t control;
    long number;
} kinds[] = {
    {ANNEX_CONTROL_STORE_BYPASS, PR_SPEC_STORE_BYPASS},
    {ANNEX_CONTROL_INDIRECT_BRANCHES, PR_SPEC_INDIRECT_BRANCH},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void note(uint32_t control, annex_control_state state) {
    if (state == ANNEX_CONTROL_ABSENT) return;
    warden.speculation.in_force |= control;
    if (state == ANNEX_CONTROL_OFFERED) warden.speculation.asked |= control;
}

void speculation_prepare(void) {
    for (uint32_t i = 0; i < KINDS; i++) {
        long answer = CALL(NR_prctl, PR_GET_SPECULATION_CTRL, kinds[i].number);
        note(kinds[i].control, annex_control_of_speculation(answer));
    }
    uint64_t cookie = 0;
    long answer = CALL(NR_prctl, PR_SCHED_CORE, PR_SCHED_CORE_GET, 0, PR_SCHED_CORE_SCOPE_THREAD, &cookie);
    note(ANNEX_CONTROL_CORE, annex_control_of_core(answer));
}

// Makes a cookie of core scheduling. Processes with different cookies never run on one core at the same time. Forks
// inherit the cookie, so it is made before the reaper clones the program.
static long take_core(void) {
    if ((warden.speculation.asked & ANNEX_CONTROL_CORE) == 0) return 0;
    long result = CALL(NR_prctl, PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, PR_SCHED_CORE_SCOPE_THREAD_GROUP, 0);
    // ENODEV means that the machine's second hardware threads were switched off after the warden's start. So nothing
    // runs on the same core at the same time as the sandbox.
    return result == -ENODEV ? 0 : result;
}

long speculation_limit(struct launch *launch) {
    if (!plan_has(launch->plan, ANNEX_LAYER_SPECULATION)) return 0;
    for (uint32_t i = 0; i < KINDS; i++) {
        if ((warden.speculation.asked & kinds[i].control) == 0) continue;
        launch->detail = i;
        long result = CALL(NR_prctl, PR_SET_SPECULATION_CTRL, kinds[i].number, PR_SPEC_FORCE_DISABLE);
        if (result < 0) return result;
    }
    launch->detail = KINDS;
    return take_core();
}
