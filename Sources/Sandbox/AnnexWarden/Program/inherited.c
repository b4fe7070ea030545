#include "inherited.h"

#include "proc.h"
#include "syscalls.h"
#include "text.h"
#include "warden.h"

// Of a thousand that stand for all memory: a host may hold half of it more than its sandbox, which still goes first.
#define SCORE_AHEAD 500u
#define SCORE_LARGEST 1000u
// What getpriority(2) answers for niceness 0: larger is more.
#define PRIORITY_NORMAL 20
// A third of the share of a processor that a niceness of 0 has.
#define NICENESS_LESS 5
#define NICENESS_LARGEST 19
#define NUMBER_LARGEST 32

static long leave_real_time(void) {
    long policy = CALL(NR_sched_getscheduler, 0);
    if (policy < 0) return policy;
    policy &= ~(long)SCHED_RESET_ON_FORK;
    if (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE) return 0;
    const int32_t none = 0;
    return CALL(NR_sched_setscheduler, 0, SCHED_OTHER, &none);
}

static long leave_favour(void) {
    long priority = CALL(NR_getpriority, PRIO_PROCESS, 0);
    if (priority <= PRIORITY_NORMAL) return priority < 0 ? priority : 0;
    return CALL(NR_setpriority, PRIO_PROCESS, 0, 0);
}

// Of two priorities the larger number is the lesser one. 0 is none: it follows from the niceness.
static long leave_disk_favour(void) {
    long priority = CALL(NR_ioprio_get, IOPRIO_WHO_PROCESS, 0);
    // A kernel without block devices.
    if (priority == -ENOSYS) return 0;
    long normal = IOPRIO_CLASS_BEST_EFFORT << IOPRIO_CLASS_SHIFT | IOPRIO_NORMAL;
    if (priority <= 0 || priority >= normal) return priority < 0 ? priority : 0;
    return CALL(NR_ioprio_set, IOPRIO_WHO_PROCESS, 0, 0);
}

// A debugger's, for one, keeps every address at its place. Asked first: a service manager may forbid to change it. One that
// locks it (LockPersonality= of systemd) refuses the question, too, and allows what the process has already.
static long leave_personality(void) {
    long personality = CALL(NR_personality, PERSONALITY_ASK);
    if (personality == 0 || (personality < 0 && personality != -EPERM)) return personality;
    long result = CALL(NR_personality, 0);
    return result < 0 ? result : 0;
}

static uint32_t read_score(void) {
    char text[NUMBER_LARGEST];
    // Where it cannot be read, it cannot be written for a sandbox either: the launch says so. Below 0 counts as 0.
    if (proc_read("self/oom_score_adj", text, sizeof text) <= 0) return 0;
    uint32_t score = 0;
    for (const char *digit = text; *digit >= '0' && *digit <= '9'; digit++) score = score * 10 + (uint32_t)(*digit - '0');
    return score;
}

// A program's memory written to a file, or handed to a program of the host's, would take its secrets along.
static long leave_no_core(void) {
    long result = proc_write("self/coredump_filter", "0", 1);
    // A kernel without core dumps.
    return result == -ENOENT ? 0 : result;
}

long inherited_give_up(void) {
    uint32_t score = read_score() + SCORE_AHEAD;
    warden.out_of_memory_score = score < SCORE_LARGEST ? score : SCORE_LARGEST;
    long result = leave_real_time();
    if (result >= 0) result = leave_favour();
    if (result >= 0) result = leave_disk_favour();
    if (result >= 0) result = leave_personality();
    return result < 0 ? result : leave_no_core();
}

// Disks follow: their priority comes from the niceness.
long inherited_lessen(void) {
    long priority = CALL(NR_getpriority, PRIO_PROCESS, 0);
    if (priority < 0) return priority;
    long niceness = PRIORITY_NORMAL - priority + NICENESS_LESS;
    return CALL(NR_setpriority, PRIO_PROCESS, 0, niceness < NICENESS_LARGEST ? niceness : NICENESS_LARGEST);
}

long inherited_expose(int process) {
    char text[NUMBER_LARGEST], *end = text;
    text_append_number(&end, warden.out_of_memory_score, 10);
    return proc_write_of(process, "/oom_score_adj", text, (uint64_t)(end - text));
}
