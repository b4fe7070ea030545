#include "confinement.h"

#include "child.h"
#include "lending.h"
#include "mounts.h"
#include "syscalls.h"

#define INSTRUCTION_SIZE 8u

static long add_rule(const struct launch *launch, int ruleset, const annex_landlock_rule *rule) {
    long place = mounts_open_plain(plan_text(launch->plan, rule->path));
    if (place < 0) return place;
    const struct landlock_path_beneath beneath = {.access = rule->access, .descriptor = (int)place};
    long result = CALL(NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    CALL(NR_close, place);
    return result;
}

static long add_rules(struct launch *launch, int ruleset) {
    const annex_landlock_rule *rules = plan_records(launch->plan, launch->plan->landlock);
    for (uint32_t i = 0; i < launch->plan->landlock.count; i++) {
        launch->detail = i;
        long result = add_rule(launch, ruleset, &rules[i]);
        if (result < 0) return result;
    }
    return 0;
}

static long add_port_rules(struct launch *launch, int ruleset) {
    const annex_port_rule *rules = plan_records(launch->plan, launch->plan->port_rules);
    for (uint32_t i = 0; i < launch->plan->port_rules.count; i++) {
        launch->detail = launch->plan->landlock.count + i;
        const struct landlock_port rule = {.access = rules[i].access, .port = rules[i].port};
        long result = CALL(NR_landlock_add_rule, ruleset, LANDLOCK_RULE_NET_PORT, &rule, 0);
        if (result < 0) return result;
    }
    return 0;
}

long confinement_restrict_paths(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    if (!plan_has(plan, ANNEX_LAYER_LANDLOCK)) return 0;
    // An older kernel accepts the longer struct if the fields that it does not know are zero.
    const struct landlock_ruleset handled = {plan->landlock_files, plan->landlock_network, plan->landlock_scopes};
    long ruleset = CALL(NR_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (ruleset < 0) return ruleset;
    long result = add_rules(launch, (int)ruleset);
    if (result >= 0) result = add_port_rules(launch, (int)ruleset);
    if (result >= 0) result = CALL(NR_landlock_restrict_self, ruleset, 0);
    CALL(NR_close, ruleset);
    return result;
}

// Makes the kernel itself enforce a rule of the filter: no writable memory becomes executable.
static long refuse_executable_writes(const annex_plan *plan) {
    if ((plan->flags & ANNEX_PLAN_WRITE_XOR_EXECUTE) == 0) return 0;
    long result = CALL(NR_prctl, PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN);
    // Before Linux 6.3, only the filter enforces this rule.
    return result == -EINVAL ? 0 : result;
}

#define REFUSE_IF_EQUAL(value) {0x15, 0, 1, (value)}, {0x06, 0, 0, SECCOMP_RET_ERRNO | ENOSYS}

// Refuses new queues of inotify, if the sandbox could use up the queues and watches of its user. The plan's own filter
// sees all other calls, and ends a program that makes calls of another processor.
static long refuse_watches(const struct launch *launch) {
    static const struct filter_instruction instructions[] = {
        {0x20, 0, 0, 0},
#if defined(__x86_64__)
        REFUSE_IF_EQUAL(NR_inotify_init),
#endif
        REFUSE_IF_EQUAL(NR_inotify_init1), {0x06, 0, 0, SECCOMP_RET_ALLOW},
    };
    if (!launch->is_blind) return 0;
    const struct filter_program program = {sizeof instructions / sizeof *instructions, instructions};
    return CALL(NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

// From here on, the filter checks every call. So the launch makes only calls that every filter must allow
// (annex_warden.h).
long confinement_filter_calls(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    int listener = -1;
    if (plan_has(plan, ANNEX_LAYER_SECCOMP)) {
        long refused = refuse_executable_writes(plan);
        if (refused >= 0) refused = refuse_watches(launch);
        if (refused < 0) return refused;
        const struct filter_program program = {
            .count = (uint16_t)(plan->filter.length / INSTRUCTION_SIZE), .instructions = plan_text(plan, plan->filter)};
        long result = CALL(NR_seccomp, SECCOMP_SET_MODE_FILTER, plan->filter_flags, &program);
        if (result < 0) return result;
        if ((plan->filter_flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) != 0) listener = (int)result;
    }
    child_say(launch, 0, listener);
    if (listener >= 0) lending_give(listener);
    if (listener >= 0) child_wait_for_warden(launch);
    return 0;
}
