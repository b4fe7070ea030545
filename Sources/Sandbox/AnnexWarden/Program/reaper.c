#include "reaper.h"

#include "child.h"
#include "cloning.h"
#include "descriptors.h"
#include "guard.h"
#include "mounts.h"
#include "syscalls.h"
#include "text.h"

// After this many ended processes were collected, the reaper checks for signals. So a flood of orphans does not delay
// signals.
#define REAPED_AT_ONCE 64
// The interval at which all processes are stopped again. A process may have set a timer whose signal is SIGCONT,
// which wakes the process.
#define STOPPED_AGAIN_NS 20000000
// After the report of a stop, the reaper reports no further stop until no signal has come for this time. So a flood
// of stops causes only one report.
#define QUIET_NS 20000000
// How often, and how long each time, the reaper waits for processes that are about to end.
#define LAST_WAITS 5
#define LAST_WAIT_NS 4000000
#define BIT(signal) (1ull << ((signal) - 1))
#define FORWARDED                                                                                             \
    (BIT(SIGHUP) | BIT(SIGINT) | BIT(SIGQUIT) | BIT(SIGUSR1) | BIT(SIGUSR2) | BIT(SIGTERM) | BIT(SIGCONT) | \
     BIT(SIGTSTP) | BIT(SIGWINCH))

struct reaper {
    int report;
    int program;  // its number in this pid namespace
    int own_space;
    int all_stopped;  // every process of this space, until SIGCONT comes
    int stop_told;    // whether a stop was reported since all_stopped was set
    int is_quiet;     // report no stop until no signal has come for a while
};

// MARK: - The program's side

static long send_program(const struct launch *launch) {
    long self = CALL(NR_pidfd_open, CALL(NR_getpid), 0);
    return self < 0 ? self : child_send(launch, REPORT_PROGRAM, (int)self);
}

// Sends the scratch that the broker looks at after the end. The program does not run yet, so the path leads there.
static long send_scratch(const struct launch *launch) {
    const annex_plan *plan = launch->plan;
    if (plan->kept_scratch < 0) return 0;
    const annex_scratch *scratches = plan_records(plan, plan->scratches);
    long place = mounts_open_plain(plan_text(plan, scratches[plan->kept_scratch].target));
    return place < 0 ? place : child_send(launch, REPORT_SCRATCH, (int)place);
}

// Puts the program into a separate process group in the reaper's session, so that it can be stopped and continued as
// under a shell.
static long begin_program(const struct launch *launch) {
    const annex_plan *plan = launch->plan;
    long result = CALL(NR_prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (result >= 0) result = CALL(NR_setpgid, 0, 0);
    if (result >= 0 && plan->terminal >= 0) {
        // Signals are still blocked. If they were not, the terminal would stop a background group that makes this call.
        int group = (int)CALL(NR_getpid);
        result = CALL(NR_ioctl, launch->descriptors[plan->terminal], TIOCSPGRP, &group);
    }
    if (result < 0 || (plan->filter_flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) == 0) return result;
    // Before the clone, the reaper's memory was made unreadable, and the program's process is a copy of the reaper.
    // The warden fetches the listener from the program's process, so the memory of that process must be readable.
    result = CALL(NR_prctl, PR_SET_DUMPABLE, 1);
    return result < 0 ? result : send_program(launch);
}

// The warden began with the default action of every signal, and blocks every signal. This process has inherited both.
// The program begins with what the plan states.
static long let_signals_in(const annex_plan *plan) {
    const uint64_t ignore[4] = {SIG_IGN};
    long result = 0;
    for (uint32_t signal = 1; result >= 0 && signal <= SIGNAL_LARGEST; signal++) {
        if ((plan->ignored_signals & BIT(signal)) == 0) continue;
        result = CALL(NR_rt_sigaction, signal, ignore, 0, SIGNAL_SET_SIZE);
    }
    if (result < 0) return result;
    return CALL(NR_rt_sigprocmask, SIG_SETMASK, &plan->blocked_signals, 0, sizeof plan->blocked_signals);
}

// MARK: - The reaper

static void say(const struct reaper *reaper, uint32_t kind, int status, uint32_t detail) {
    static struct child_report report;
    report = (struct child_report){.kind = kind, .status = status, .detail = detail};
    CALL(NR_write, reaper->report, &report, sizeof report);
}

// Those that have ended are collected first, because the kernel counts them too.
static int others_run(void) {
    int status = 0;
    for (int i = 0; i < REAPED_AT_ONCE && CALL(NR_wait4, -1, &status, WALL | WNOHANG, 0) > 0; i++) continue;
    return CALL(NR_kill, -1, 0) >= 0;
}

// Whether other processes still run. A process to which the program sent a signal before its own end may need a moment to
// end. Without a pid namespace of its own, the sandbox's processes cannot be told from others.
static uint32_t leaves_others(const struct reaper *reaper) {
    if (!reaper->own_space) return 0;
    const uint64_t waited = BIT(SIGCHLD);
    const struct time patience = {0, LAST_WAIT_NS};
    for (int i = 0; i < LAST_WAITS && others_run(); i++) {
        struct signal_information information;
        CALL(NR_rt_sigtimedwait, &waited, &information, &patience, sizeof waited);
    }
    return (uint32_t)others_run();
}

static _Noreturn void end_with(const struct reaper *reaper, int status) {
    say(reaper, REPORT_ENDED, status, leaves_others(reaper));
    // When the first process of a pid namespace ends, the kernel kills all others in it.
    leave(0);
}

#define ONLY_IF_EQUAL(value) {0x15, 0, 1, (value)}
#define ALLOW {0x06, 0, 0, SECCOMP_RET_ALLOW}
#define KILL {0x06, 0, 0, SECCOMP_RET_KILL_PROCESS}

// If an attacker took over this process through its input, the attacker could make only these calls.
static long filter_itself(void) {
    static const struct filter_instruction instructions[] = {
        {0x20, 0, 0, 4}, {0x15, 1, 0, AUDIT_ARCH_OWN}, KILL, {0x20, 0, 0, 0},
        ONLY_IF_EQUAL(NR_rt_sigtimedwait), ALLOW, ONLY_IF_EQUAL(NR_wait4), ALLOW, ONLY_IF_EQUAL(NR_waitid), ALLOW,
        ONLY_IF_EQUAL(NR_kill), ALLOW, ONLY_IF_EQUAL(NR_read), ALLOW, ONLY_IF_EQUAL(NR_write), ALLOW,
        ONLY_IF_EQUAL(NR_exit_group), ALLOW, ONLY_IF_EQUAL(NR_rt_sigreturn), ALLOW,
        ONLY_IF_EQUAL(NR_restart_syscall), ALLOW, KILL,
    };
    const struct filter_program program = {sizeof instructions / sizeof *instructions, instructions};
    // The filter affects only the reaper, because the program was cloned before this call. An ordinary user may set a
    // filter only with no_new_privs.
    long result = CALL(NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return result < 0 ? result : CALL(NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

// Waits until the program's exec or the program's death closes the pipe. The clone gave the program no exit signal,
// and exec sets the exit signal to SIGCHLD. This waitid does not see a child without an exit signal, so it
// distinguishes exec from death. If there is no reaper, the warden does the same.
static int hears_execution(const struct reaper *reaper, int pipe) {
    char nothing;
    while (CALL(NR_read, pipe, &nothing, sizeof nothing) == -EINTR) {}
    return CALL(NR_waitid, P_PID, reaper->program, 0, WEXITED | WNOHANG | WNOWAIT, 0) >= 0;
}

// Waits for a program that never executed. It has no exit signal, so no signal reports its end.
static _Noreturn void end_unexecuted(const struct reaper *reaper) {
    int status = 0;
    while (CALL(NR_wait4, reaper->program, &status, WALL, 0) == -EINTR) {}
    end_with(reaper, status);
}

// Returns 1 if more processes may have ended.
static int reap(struct reaper *reaper) {
    for (int i = 0; i < REAPED_AT_ONCE; i++) {
        int status = 0;
        // Without WUNTRACED, this call ignores a stop. The kernel then keeps the stop for the next call with
        // WUNTRACED, unless the program continues before that call.
        long who = CALL(NR_wait4, -1, &status, WALL | WNOHANG | (reaper->is_quiet ? 0 : WUNTRACED), 0);
        if (who <= 0) return 0;
        if (who != reaper->program) continue;
        if ((status & 0xff) != 0x7f) end_with(reaper, status);
        // While all processes are stopped, only the first stop is reported. The process that reads the reports may be
        // stopped too, and repeated reports would fill the socket.
        if (!reaper->all_stopped || !reaper->stop_told) say(reaper, REPORT_STOPPED, status, 0);
        reaper->stop_told = reaper->all_stopped;
        reaper->is_quiet = 1;
    }
    return 1;
}

// Whether a signal was sent from outside the sandbox. Signals from inside are not forwarded. In the sandbox's own pid
// namespace, a sender outside has number 0, and no process inside has this number. If the signal's code is below 0,
// the sender may have stated any process number, even 0. The sandbox can cause some of the kernel's own signals, such
// as those for an orphaned group. It cannot cause the signal for a terminal's new size.
static int is_from_outside(const struct reaper *reaper, int signal, const struct signal_information *information) {
    if (information->code == SI_KERNEL) return signal == SIGWINCH;
    if (!reaper->own_space) return 1;
    return information->code == SI_USER && information->sender == 0;
}

static void forward(struct reaper *reaper, int signal, const struct signal_information *information) {
    if (!is_from_outside(reaper, signal, information)) return;
    // The process that sent the signal may stop next, and then no process enforces limits. So all processes must stop,
    // even if they fork at the same time.
    if (signal == SIGTSTP && !reaper->all_stopped) {
        reaper->all_stopped = reaper->own_space;
        reaper->stop_told = 0;
    }
    int all = reaper->all_stopped && (signal == SIGTSTP || signal == SIGCONT);
    if (signal == SIGCONT) reaper->all_stopped = 0;
    // Signals of the kind that a terminal sends go to the whole group, as a terminal would send them.
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
        // All processes are stopped again in every turn. If they were stopped only after a time without signals, a
        // program that wakes itself could prevent that by sending signals to this process.
        if (reaper->all_stopped && !goes_on) CALL(NR_kill, -1, SIGSTOP);
        if (is_forwarded) forward(reaper, (int)signal, &information);
    }
}

// Clears the plan in this process's copy of the warden's memory. So no long-lived process keeps the arguments, the
// environment, or the number that the filter requires as the sixth argument of execveat. Functions that are called
// from here on use a new value of the stack guard (guard.h). The warden's guard value remains in stack frames to
// which no function returns, and in the kernel's random bytes above these frames.
static void forget(const struct launch *launch) {
    launch_forget(launch->plan->size);
    guard_renew();
}

static _Noreturn void stay_behind(const struct launch *launch, int program, int pipe) {
    struct reaper reaper = {
        .report = launch->report, .program = program, .own_space = plan_has(launch->plan, ANNEX_LAYER_PID)};
    // Without the layer seccomp, this machine may allow no filter at all.
    int needs_filter = plan_has(launch->plan, ANNEX_LAYER_SECCOMP);
    forget(launch);
    // The warden gets SIGCHLD only for ends, and the clone copied that setting. The reaper needs SIGCHLD for stops too.
    const uint64_t by_default[4] = {0};
    CALL(NR_rt_sigaction, SIGCHLD, by_default, 0, SIGNAL_SET_SIZE);
    // A reaper that cannot be confined must not run. Its end also ends the program, and the warden reports that end.
    int kept[] = {launch->report, pipe};
    if (descriptors_close_all_but(kept, 2) < 0 || (filter_itself() < 0 && needs_filter)) leave(126);
    if (!hears_execution(&reaper, pipe)) end_unexecuted(&reaper);
    say(&reaper, REPORT_EXECUTED, 0, 0);
    serve(&reaper);
}

long reaper_part_ways(struct launch *launch) {
    if ((launch->plan->flags & ANNEX_PLAN_REAPER) == 0) return let_signals_in(launch->plan);
    int ends[2];
    long result = send_scratch(launch);
    if (result >= 0) result = CALL(NR_pipe2, ends, O_CLOEXEC);
    // Without a pid namespace, this call is needed to make orphans children of this process.
    if (result >= 0) result = CALL(NR_prctl, PR_SET_CHILD_SUBREAPER, 1);
    // The memory becomes unreadable before the clone, so that the program's code can never read the memory of either
    // process.
    if (result >= 0) result = CALL(NR_prctl, PR_SET_DUMPABLE, 0);
    if (result < 0) return result;
    // The exit signal is 0, as in the warden's own clone. exec sets it to SIGCHLD, so waitid shows whether the program
    // executed.
    const struct clone_arguments arguments = {0};
    result = cloning_make(&arguments);
    if (result < 0) return result;
    if (result > 0) {
        close_descriptor(ends[1]);
        stay_behind(launch, (int)result, ends[0]);
    }
    close_descriptor(ends[0]);
    launch->executed = ends[1];
    result = begin_program(launch);
    return result < 0 ? result : let_signals_in(launch->plan);
}
