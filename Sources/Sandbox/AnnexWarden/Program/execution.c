#include "execution.h"

#include "mounts.h"
#include "syscalls.h"

long execution_enter_directory(struct launch *launch) {
    return CALL(NR_chdir, plan_text(launch->plan, launch->plan->directory));
}

// Whether the plan's name leads, in the sandbox, to the object that the broker checked.
static int leads_to_checked(const annex_plan *plan) {
    if (plan->name.length == 0) return 0;
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
    long named = CALL(NR_openat2, AT_FDCWD, plan_text(plan, plan->name), &how, sizeof how);
    if (named < 0) return 0;
    uint32_t type = 0;
    long result = mounts_compare((int)named, plan->name_device, plan->name_inode, &type);
    CALL(NR_close, named);
    return result == 0;
}

long execution_open(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    launch->is_named = leads_to_checked(plan);
    long executable = mounts_open_plain(plan_text(plan, plan->executable));
    if (executable < 0) return executable;
    launch->executable = (int)executable;
    uint32_t type = 0;
    return mounts_compare(launch->executable, plan->executable_device, plan->executable_inode, &type);
}

static void point_at(const char **pointers, const annex_plan *plan, annex_records records) {
    const annex_bytes *texts = plan_records(plan, records);
    for (uint32_t i = 0; i < records.count; i++) pointers[i] = plan_text(plan, texts[i]);
    pointers[records.count] = 0;
}

long execution_begin(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    const char **arguments = launch_memory.texts;
    const char **environment = arguments + plan->arguments.count + 1;
    point_at(arguments, plan, plan->arguments);
    point_at(environment, plan, plan->environment);
    // The kernel ignores the sixth argument, but the filter allows the call only with this value.
    if (launch->is_named) {
        const char *name = plan_text(plan, plan->name);
        // The kernel itself puts the interpreters before the name of a script. The filter demands AT_EMPTY_PATH, which
        // has no effect on a name.
        const char **own = arguments + plan->name_argument;
        if ((plan->flags & ANNEX_PLAN_BY_NAME) != 0)
            CALL(NR_execveat, AT_FDCWD, name, own, environment, AT_EMPTY_PATH, plan->exec_nonce);
        // A program that is no script sees the name that the caller chose, which need not be a path.
        if (plan->name_argument > 0) *own = name;
    }
    return CALL(NR_execveat, launch->executable, "", arguments, environment, AT_EMPTY_PATH, plan->exec_nonce);
}
