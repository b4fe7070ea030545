#include "maps.h"

#include "inherited.h"
#include "proc.h"
#include "text.h"

#define LINE_LARGEST 64

static long write_map(int process, const char *name, uint32_t inside, uint32_t outside) {
    char line[LINE_LARGEST], *end = line;
    text_append_number(&end, inside, 10);
    text_append(&end, " ");
    text_append_number(&end, outside, 10);
    text_append(&end, " 1\n");
    return proc_write_of(process, name, line, (uint64_t)(end - line));
}

long maps_write(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    launch->detail = 3;
    long result = inherited_expose(launch->process);
    if (result < 0 || !plan_has(plan, ANNEX_LAYER_USER)) return result;
    // Without this, an ordinary user may not write a group map. And root's sandbox could leave a group that denies
    // access.
    launch->detail = 0;
    result = proc_write_of(launch->process, "/setgroups", "deny", 4);
    if (result < 0) return result;
    launch->detail = 1;
    result = write_map(launch->process, "/uid_map", plan->inside_user, plan->outside_user);
    if (result < 0) return result;
    launch->detail = 2;
    return write_map(launch->process, "/gid_map", plan->inside_group, plan->outside_group);
}
