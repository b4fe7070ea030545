#include "clocks.h"

#include "proc.h"
#include "syscalls.h"
#include "text.h"

// 2^24 seconds are about half a year. Machines reach such uptimes, so programs can cope with them. The monotonic
// clock is shifted by at most this time, and the time since the start by at most twice this time.
#define SECONDS_LARGEST (1u << 24)
#define NANOSECONDS 1000000000u
#define LINES_LARGEST 128

static void append(char **end, const char *clock, const struct time *offset) {
    text_append(end, clock);
    text_append_number(end, (uint64_t)offset->seconds, 10);
    text_append(end, " ");
    text_append_number(end, (uint64_t)offset->nanoseconds, 10);
    text_append(end, "\n");
}

// Each clock gets its own offset. If both had the same offset, their difference would still show how long the machine
// slept. The time since the start counts sleep, and the monotonic clock does not. So the time since the start gets
// the larger offset, because a program expects it to be at least as large as the monotonic clock.
static long choose(struct time *monotonic, struct time *since_start) {
    uint32_t random[4];
    long got = CALL(NR_getrandom, random, sizeof random, 0);
    if (got != sizeof random) return got < 0 ? got : -EAGAIN;
    *monotonic = (struct time){random[0] % SECONDS_LARGEST, random[1] % NANOSECONDS};
    *since_start = (struct time){monotonic->seconds + 1 + random[2] % SECONDS_LARGEST, random[3] % NANOSECONDS};
    return 0;
}

// The new namespace applies only to this process's children. The process itself enters it through the namespace's file
// in /proc.
static long enter(void) {
    long namespace = proc_open("self/ns/time_for_children");
    if (namespace < 0) return namespace;
    long result = CALL(NR_setns, namespace, CLONE_NEWTIME);
    CALL(NR_close, namespace);
    return result;
}

long clocks_shift(struct launch *launch) {
    if (!plan_has(launch->plan, ANNEX_LAYER_TIME)) return 0;
    long result = CALL(NR_unshare, CLONE_NEWTIME);
    if (result < 0) return result;
    struct time monotonic, since_start;
    result = choose(&monotonic, &since_start);
    if (result < 0) return result;
    char lines[LINES_LARGEST], *end = lines;
    append(&end, "monotonic ", &monotonic);
    append(&end, "boottime ", &since_start);
    launch->detail = 1;
    // The offsets must be written before any process is in the namespace. Afterwards the kernel rejects them.
    result = proc_write("self/timens_offsets", lines, (uint64_t)(end - lines));
    if (result < 0) return result;
    launch->detail = 2;
    result = enter();
    if (result >= 0) launch->ahead = (uint64_t)monotonic.seconds * NANOSECONDS + (uint64_t)monotonic.nanoseconds;
    return result;
}
