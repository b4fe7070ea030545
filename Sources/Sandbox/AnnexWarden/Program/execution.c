#include "execution.h"

#include "mounts.h"
#include "syscalls.h"

long execution_enter_directory(struct launch *launch) {
    return CALL(NR_chdir, plan_text(launch->plan, launch->plan->directory));
}

long execution_open(struct launch *launch) {
    const annex_plan *plan = launch->plan;
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
    return CALL(NR_execveat, launch->executable, "", arguments, environment, AT_EMPTY_PATH, plan->exec_nonce);
}
