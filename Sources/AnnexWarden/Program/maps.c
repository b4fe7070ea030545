#include "maps.h"

#include "syscalls.h"
#include "text.h"

#define FILE_NAME_LARGEST 64
#define LINE_LARGEST 64

static long write_file(int process, const char *name, const char *text, uint64_t length) {
    char path[FILE_NAME_LARGEST], *end = path;
    text_append(&end, "/proc/");
    text_append_number(&end, (uint64_t)process, 10);
    text_append(&end, name);
    long file = CALL(NR_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return file;
    long written = CALL(NR_write, file, text, length);
    CALL(NR_close, file);
    return written < 0 ? written : 0;
}

static long write_map(int process, const char *name, uint32_t inside, uint32_t outside) {
    char line[LINE_LARGEST], *end = line;
    text_append_number(&end, inside, 10);
    text_append(&end, " ");
    text_append_number(&end, outside, 10);
    text_append(&end, " 1\n");
    return write_file(process, name, line, (uint64_t)(end - line));
}

long maps_write(struct launch *launch) {
    const annex_plan *plan = launch->plan;
    if (!plan_has(plan, ANNEX_LAYER_USER)) return 0;
    // Without this an ordinary user may not write a group map, and root's sandbox could drop a group that denies.
    launch->detail = 0;
    long result = write_file(launch->process, "/setgroups", "deny", 4);
    if (result < 0) return result;
    launch->detail = 1;
    result = write_map(launch->process, "/uid_map", plan->inside_user, plan->outside_user);
    if (result < 0) return result;
    launch->detail = 2;
    return write_map(launch->process, "/gid_map", plan->inside_group, plan->outside_group);
}
