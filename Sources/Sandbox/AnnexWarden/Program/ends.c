#include "ends.h"

#include "syscalls.h"
#include "warden.h"

long ends_prepare(void) {
    const uint64_t wanted = (uint64_t)1 << (SIGCHLD - 1);
    long result = CALL(NR_signalfd4, -1, &wanted, sizeof wanted, O_NONBLOCK | O_CLOEXEC);
    warden.loop.signals = (int)result;
    return result;
}

int ends_next(void) {
    struct signal_notice notice;
    long read = CALL(NR_read, warden.loop.signals, &notice, sizeof notice);
    if (read == sizeof notice && notice.sender > 0) return notice.sender;
    struct signal_information information = {0};
    long result = CALL(NR_waitid, P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT, 0);
    return result < 0 ? 0 : information.sender;
}

static void note_end(struct child *child, int status, const struct usage *usage) {
    annex_answer *answer = &child->answer;
    child->has_ended = 1;
    // The reaper reported how the program ended. The reaper's own end only shows that all other processes ended with
    // it.
    if (!child->has_status) answer->status = status;
    answer->user_time = (uint64_t)usage->user.seconds * 1000000u + (uint64_t)usage->user.microseconds;
    answer->system_time = (uint64_t)usage->system.seconds * 1000000u + (uint64_t)usage->system.microseconds;
    answer->peak_memory = (uint64_t)usage->largest_kibibytes * 1024u;
    children_answer(child, ANNEX_ANSWER_ENDED);
}

void ends_forget(int process) { CALL(NR_wait4, process, 0, WALL | WNOHANG, 0); }

int ends_reap(struct child *child) {
    int status = 0;
    struct usage usage = {0};
    if (child->has_ended) return 0;
    long result = CALL(NR_wait4, child->answer.process, &status, WALL | WNOHANG, &usage);
    if (result != child->answer.process) return 0;
    note_end(child, status, &usage);
    return 1;
}

// A child that never executed has no exit signal, so this waitid does not see it.
int ends_executed(const struct child *child) {
    return CALL(NR_waitid, P_PID, child->answer.process, 0, WEXITED | WNOHANG | WNOWAIT, 0) >= 0;
}

// Kills the child by its number. The kernel does not reuse the number before the end is collected.
void ends_kill(const struct child *child) {
    if (child->answer.process > 0 && !child->has_ended) CALL(NR_kill, child->answer.process, SIGKILL);
}
