#include "reaper.h"

#include "descriptors.h"
#include "guard.h"
#include "passing.h"
#include "syscalls.h"
#include "text.h"

// Ends taken between two looks at the signals: a flood of orphans must not hold them up.
#define REAPED_AT_ONCE 64
// While all are stopped: what a timer of its own woke is stopped again after so long.
#define STOPPED_AGAIN_NS 20000000
// After a stop was told, so long no signal has to come before the next is looked for: a flood of stops is told once.
#define QUIET_NS 20000000
#define CROWDED_PAUSE_NS 2000000
#define CROWDED_ATTEMPTS 1000
#define BIT(signal) (1ull << ((signal) - 1))
#define FORWARDED                                                                                             \
    (BIT(SIGHUP) | BIT(SIGINT) | BIT(SIGQUIT) | BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGTERM) | BIT(SIGCONT) | \
     BIT(SIGTSTP) | BIT(SIGWINCH))

struct reaper {
    int report;
    int program;  // its number in here
    int own_space;
    int all_stopped;  // every process of this space, until SIGCONT comes
    int stop_told;    // since then
    int is_quiet;     // no stop is told until none of the signals came for a while
};

// MARK: - The two ways

static long send_program(const struct launch *launch) {
    static struct child_report report = {.kind = REPORT_PROGRAM};
    long self = CALL(NR_pidfd_open, CALL(NR_getpid), 0);
    if (self < 0) return self;
    long sent = passing_send(launch->report, &report, sizeof report, (int)self, 0);
    // As for the warden's answers: too many of this user's descriptors are on their way, and soon arrive.
    const struct time pause = {0, CROWDED_PAUSE_NS};
    for (int i = 0; sent == -ETOOMANYREFS && i < CROWDED_ATTEMPTS; i++) {
        CALL(NR_nanosleep, &pause, 0);
        sent = passing_send(launch->report, &report, sizeof report, (int)self, 0);
    }
    CALL(NR_close, self);
    return sent < 0 ? sent : 0;
}

// A group of its own, in the reaper's session: so it can be stopped and continued as under a shell.
static long begin_program(const struct launch *launch) {
    const annex_plan *plan = launch->plan;
    long result = CALL(NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (result >= 0) result = CALL(NR_setpgid, 0, 0);
    if (result >= 0 && plan->terminal >= 0) {
        // Signals are still blocked: the terminal would stop a group in the background that asks for this.
        int group = (int)CALL(NR_getpid);
        result = CALL(NR_ioctl, launch->descriptors[plan->terminal], TIOCSPGRP, &group);
    }
    if (result < 0 || (plan->filter_flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) == 0) return result;
    // The reaper's memory was made unreadable before it was copied; the warden fetches the listener from this copy.
    result = CALL(NR_prctl, PR_SET_DUMPABLE, 1);
    return result < 0 ? result : send_program(launch);
}

static long let_signals_in(void) {
    // The warden waits with every signal blocked; what it starts begins with none.
    const uint64_t none = 0;
    return CALL(NR_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof none);
}

// MARK: - The reaper

static void say(const struct reaper *reaper, uint32_t kind, int status) {
    static struct child_report report;
    report = (struct child_report){.kind = kind, .status = status};
    CALL(NR_write, reaper->report, &report, sizeof report);
}

static _Noreturn void end_with(const struct reaper *reaper, int status) {
    say(reaper, REPORT_ENDED, status);
    // The end of a pid namespace's first process is the end of all in it.
    leave(0);
}

#define ONLY_IF_EQUAL(value) {0x15, 0, 1, (value)}
#define ALLOW {0x06, 0, 0, SECCOMP_RET_ALLOW}
#define KILL {0x06, 0, 0, SECCOMP_RET_KILL_PROCESS}

// Whoever took over this process, by whatever it reads, could make these calls and no others.
static long filter_itself(void) {
    static const struct filter_instruction instructions[] = {
        {0x20, 0, 0, 4}, {0x15, 1, 0, AUDIT_ARCH_OWN}, KILL, {0x20, 0, 0, 0},
        ONLY_IF_EQUAL(NR_rt_sigtimedwait), ALLOW, ONLY_IF_EQUAL(NR_wait4), ALLOW, ONLY_IF_EQUAL(NR_waitid), ALLOW,
        ONLY_IF_EQUAL(NR_kill), ALLOW, ONLY_IF_EQUAL(NR_read), ALLOW, ONLY_IF_EQUAL(NR_write), ALLOW,
        ONLY_IF_EQUAL(NR_exit_group), ALLOW, ONLY_IF_EQUAL(NR_rt_sigreturn), ALLOW,
        ONLY_IF_EQUAL(NR_restart_syscall), ALLOW, KILL,
    };
    const struct filter_program program = {sizeof instructions / sizeof *instructions, instructions};
    // Its own and not the program's, who was copied before: an ordinary user's filter is taken in no other way.
    long result = CALL(NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return result < 0 ? result : CALL(NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

// The pipe's end: closed by exec, or by death. As the warden sees it without a reaper: exec gave the program its
// exit signal back, and this waitid does not see a child that has none.
static int hears_execution(const struct reaper *reaper, int pipe) {
    char nothing;
    while (CALL(NR_read, pipe, &nothing, sizeof nothing) == -EINTR) {}
    return CALL(NR_waitid, P_PID, reaper->program, 0, WEXITED | WNOHANG | WNOWAIT, 0) >= 0;
}

// Without an exit signal nobody would be told of this end.
static _Noreturn void end_unexecuted(const struct reaper *reaper) {
    int status = 0;
    while (CALL(NR_wait4, reaper->program, &status, WALL, 0) == -EINTR) {}
    end_with(reaper, status);
}

// 1 where there may be more.
static int reap(struct reaper *reaper) {
    for (int i = 0; i < REAPED_AT_ONCE; i++) {
        int status = 0;
        // A stop that is not asked for stays to be told, unless the program goes on before.
        long who = CALL(NR_wait4, -1, &status, WALL | WNOHANG | (reaper->is_quiet ? 0 : WUNTRACED), 0);
        if (who <= 0) return 0;
        if (who != reaper->program) continue;
        if ((status & 0xff) != 0x7f) end_with(reaper, status);
        // Once: who reads it may be stopped too, and each new stop would fill the way to it.
        if (!reaper->all_stopped || !reaper->stop_told) say(reaper, REPORT_STOPPED, status);
        reaper->stop_told = reaper->all_stopped;
        reaper->is_quiet = 1;
    }
    return 1;
}

// From within, it is nobody's business but the sender's. There, no process has number 0; a code below 0 is of a sender
// that may have chosen the number, 0 too. What the kernel sends of its own (to a group that became an orphan, say) can
// be brought about from within; only a terminal's new size is nobody's doing.
static int is_from_outside(const struct reaper *reaper, int signal, const struct signal_information *information) {
    if (information->code == SI_KERNEL) return signal == SIGWINCH;
    if (!reaper->own_space) return 1;
    return information->code == SI_USER && information->sender == 0;
}

static void forward(struct reaper *reaper, int signal, const struct signal_information *information) {
    if (!is_from_outside(reaper, signal, information)) return;
    // Who asks may be stopped next, and then nobody holds limits: so everybody stops, however they fork meanwhile.
    if (signal == SIGTSTP && !reaper->all_stopped) {
        reaper->all_stopped = reaper->own_space;
        reaper->stop_told = 0;
    }
    int all = reaper->all_stopped && (signal == SIGTSTP || signal == SIGCONT);
    if (signal == SIGCONT) reaper->all_stopped = 0;
    // What a terminal would send goes to the group, as a terminal would send it.
    int to_one = signal == SIGTERM || signal == SIGUSR1 || signal == SIGUSR2;
    int whom = all ? -1 : to_one ? reaper->program : -reaper->program;
    CALL(NR_kill, whom, signal == SIGTSTP ? SIGSTOP : signal);
}

static _Noreturn void serve(struct reaper *reaper) {
    const uint64_t waited = FORWARDED | BIT(SIGCHLD);
    const struct time at_once = {0, 0}, again = {0, STOPPED_AGAIN_NS}, quiet = {0, QUIET_NS};
    for (;;) {
        int more = reap(reaper);
        const struct time *patience = more ? &at_once : reaper->all_stopped ? &again : reaper->is_quiet ? &quiet : 0;
        struct signal_information information = {0};
        long signal = CALL(NR_rt_sigtimedwait, &waited, &information, patience, sizeof waited);
        if (signal < 0 && !more) reaper->is_quiet = 0;
        int is_forwarded = signal > 0 && (FORWARDED & BIT(signal)) != 0;
        int goes_on = signal == SIGCONT && is_from_outside(reaper, SIGCONT, &information);
        // At every turn, and not only after a quiet while: a program that wakes itself may send signals here, too.
        if (reaper->all_stopped && !goes_on) CALL(NR_kill, -1, SIGSTOP);
        if (is_forwarded) forward(reaper, (int)signal, &information);
    }
}

// What the warden's copy holds of this launch stays in no process that lives as long as the sandbox: arguments,
// environment, the number that the filter asks for. What is called from here on has a guard of its own. The warden's lies
// on in the frames that nothing returns to, and in the kernel's random bytes above them.
static void forget(const struct launch *launch) {
    memset(launch_plan, 0, launch->plan->size);
    guard_renew();
}

static _Noreturn void stay_behind(const struct launch *launch, int program, int pipe) {
    struct reaper reaper = {
        .report = launch->report, .program = program, .own_space = plan_has(launch->plan, ANNEX_LAYER_PID)};
    forget(launch);
    // The warden asks for ends only, and what it asked was copied.
    const uint64_t by_default[4] = {0};
    CALL(NR_rt_sigaction, SIGCHLD, by_default, 0, SIGNAL_SET_SIZE);
    // A reaper that cannot be confined is none: its end ends the program, and says so.
    int kept[] = {launch->report, pipe};
    if (descriptors_close_all_but(kept, 2) < 0 || filter_itself() < 0) leave(126);
    if (!hears_execution(&reaper, pipe)) end_unexecuted(&reaper);
    say(&reaper, REPORT_EXECUTED, 0);
    serve(&reaper);
}

long reaper_part_ways(struct launch *launch) {
    if ((launch->plan->flags & ANNEX_PLAN_REAPER) == 0) return let_signals_in();
    int ends[2];
    long result = CALL(NR_pipe2, ends, O_CLOEXEC);
    // Where there is no pid namespace: orphans come here all the same.
    if (result >= 0) result = CALL(NR_prctl, PR_SET_CHILD_SUBREAPER, 1);
    // Before the copy: neither of the two is ever readable for the program's code.
    if (result >= 0) result = CALL(NR_prctl, PR_SET_DUMPABLE, 0);
    if (result < 0) return result;
    // Exit signal 0, as the warden's own clone has it and for the same reason.
    struct clone_arguments arguments = {0};
    result = CALL(NR_clone3, &arguments, sizeof arguments);
    if (result < 0) return result;
    if (result > 0) {
        close_descriptor(ends[1]);
        stay_behind(launch, (int)result, ends[0]);
    }
    close_descriptor(ends[0]);
    launch->executed = ends[1];
    result = begin_program(launch);
    return result < 0 ? result : let_signals_in();
}
