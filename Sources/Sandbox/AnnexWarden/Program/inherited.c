#include "inherited.h"

#include "proc.h"
#include "syscalls.h"
#include "text.h"
#include "warden.h"

// This number is added to the out-of-memory score, in which 1,000 means all memory. So the kernel kills a sandbox
// before its host. This holds even if the host uses more memory than the sandbox, by up to half of the machine's
// memory.
#define SCORE_AHEAD 500u
#define SCORE_LARGEST 1000u
// The result of getpriority(2) for niceness 0. A larger result means a higher priority.
#define PRIORITY_NORMAL 20
// If a process has this much more niceness, it gets a third of the processor share of a process with niceness 0.
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

// A larger number means a lower disk priority. 0 means that the disk priority follows from the niceness.
static long leave_disk_favour(void) {
    long priority = CALL(NR_ioprio_get, IOPRIO_WHO_PROCESS, 0);
    // ENOSYS means that the kernel has no block devices.
    if (priority == -ENOSYS) return 0;
    long normal = IOPRIO_CLASS_BEST_EFFORT << IOPRIO_CLASS_SHIFT | IOPRIO_NORMAL;
    if (priority <= 0 || priority >= normal) return priority < 0 ? priority : 0;
    return CALL(NR_ioprio_set, IOPRIO_WHO_PROCESS, 0, 0);
}

// A debugger, for example, sets a personality that switches off the randomization of addresses. This function asks
// for the present personality first, because a service manager may forbid changes. If the service manager locks the
// personality (LockPersonality= of systemd), asking fails with EPERM too. So the function then sets 0, which succeeds
// if the locked personality is 0.
static long leave_personality(void) {
    long personality = CALL(NR_personality, PERSONALITY_ASK);
    if (personality == 0 || (personality < 0 && personality != -EPERM)) return personality;
    long result = CALL(NR_personality, 0);
    return result < 0 ? result : 0;
}

static uint32_t read_score(void) {
    char text[NUMBER_LARGEST];
    // If the score cannot be read, it cannot be written for a sandbox either, and the launch reports that failure. A
    // score below 0 counts as 0.
    if (proc_read("self/oom_score_adj", text, sizeof text) <= 0) return 0;
    uint32_t score = 0;
    for (const char *digit = text; *digit >= '0' && *digit <= '9'; digit++) score = score * 10 + (uint32_t)(*digit - '0');
    return score;
}

// A core dump would copy a program's secrets to a file or to a program of the host.
static long leave_no_core(void) {
    long result = proc_write("self/coredump_filter", "0", 1);
    // ENOENT means that the kernel has no core dumps.
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

// Adds NICENESS_LESS to the niceness, up to NICENESS_LARGEST. The disk priority follows from the niceness.
long inherited_lessen(void) {
    long priority = CALL(NR_getpriority, PRIO_PROCESS, 0);
    if (priority < 0) return priority;
    long niceness = PRIORITY_NORMAL - priority + NICENESS_LESS;
    return CALL(NR_setpriority, PRIO_PROCESS, 0, niceness < NICENESS_LARGEST ? niceness : NICENESS_LARGEST);
}

long inherited_yield(void) {
    long result = CALL(NR_setpriority, PRIO_PROCESS, 0, NICENESS_LARGEST);
    if (result < 0) return result;
    result = CALL(NR_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
    // The kernel has no block devices.
    return result == -ENOSYS ? 0 : result;
}

long inherited_expose(int process) {
    char text[NUMBER_LARGEST], *end = text;
    text_append_number(&end, warden.out_of_memory_score, 10);
    return proc_write_of(process, "/oom_score_adj", text, (uint64_t)(end - text));
}
