#include "farewell.h"

#include "bare.h"
#include "children.h"
#include "ends.h"
#include "loop.h"
#include "syscalls.h"
#include "text.h"

// The longest wait in nanoseconds. It is long enough for the kernel to empty a control group. The warden waits no
// longer, even if a process cannot be killed.
#define PATIENCE 10000000000u
#define PAUSE 2000000

// Returns 1 if the child still exists.
static int still_running(struct child *child) {
    if (!child->used || child->answer.process == 0 || child->has_ended) return 0;
    long result = CALL(NR_wait4, child->answer.process, 0, WALL | WNOHANG, 0);
    child->has_ended = result != 0;
    return result == 0;
}

// Returns 1 if a directory is still busy. If a directory is gone, or cannot be removed for another reason, the warden
// does not try again.
static int remove_directories(struct child *child) {
    uint32_t kept = 0;
    for (uint32_t start = 0; start < child->removals_length;) {
        const char *path = child->removals + start;
        uint32_t size = 1;
        while (path[size - 1] != 0) size++;
        start += size;
        if (CALL(NR_unlinkat, AT_FDCWD, path, AT_REMOVEDIR) != -EBUSY) continue;
        memmove(child->removals + kept, path, size);
        kept += size;
    }
    child->removals_length = kept;
    return kept > 0;
}

static int remains(void) {
    // The directories lie in the host's mount namespace, so the warden leaves the bare namespace if it is in it.
    int is_away = bare_leave() < 0;
    int remains = is_away;
    for (uint32_t i = 0; i < children_end(); i++) {
        struct child *child = children_at(i);
        remains |= still_running(child);
        if (!is_away) remains |= remove_directories(child);
    }
    return remains;
}

void farewell(void) {
    for (uint32_t i = 0; i < children_end(); i++) {
        if (children_at(i)->used) ends_kill(children_at(i));
    }
    const struct time pause = {0, PAUSE};
    uint64_t until = clock_now() + PATIENCE;
    while (remains() && clock_now() < until) CALL(NR_nanosleep, &pause, 0);
}
