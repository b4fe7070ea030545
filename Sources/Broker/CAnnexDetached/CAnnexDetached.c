#define _GNU_SOURCE
#include "CAnnexDetached.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The descriptors of the program and of the pipe for errors before exec. exec closes both.
enum { PROGRAM = 3, REPORT = 4, FIRST_OTHER = 5 };

static int place_descriptors(int program, int report) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return -1;
    // All descriptors are first copied to higher numbers. Otherwise, giving one descriptor its final number could close
    // another descriptor that still has this number.
    int high_null = fcntl(null, F_DUPFD_CLOEXEC, FIRST_OTHER);
    int high_program = fcntl(program, F_DUPFD_CLOEXEC, FIRST_OTHER);
    int high_report = fcntl(report, F_DUPFD_CLOEXEC, FIRST_OTHER);
    if (high_null < 0 || high_program < 0 || high_report < 0) return -1;
    for (int stream = 0; stream < PROGRAM; stream++) {
        if (dup2(high_null, stream) < 0) return -1;
    }
    if (dup3(high_program, PROGRAM, O_CLOEXEC) < 0 || dup3(high_report, REPORT, O_CLOEXEC) < 0) return -1;
    return (int)syscall(SYS_close_range, FIRST_OTHER, UINT_MAX, 0);
}

static int become_user(const annex_detached *start) {
    if (!start->changes_user) return 0;
    // The list of groups has the type that the kernel expects. glibc's own functions are not used, because they would
    // try to change all threads.
    if (syscall(SYS_setgroups, start->group_count, start->groups) < 0) return -1;
    if (syscall(SYS_setresgid, start->group, start->group, start->group) < 0) return -1;
    return (int)syscall(SYS_setresuid, start->user, start->user, start->user);
}

static void reset_signals(void) {
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &by_default, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
}

// This function runs in a copy of a process with several threads. So it calls only functions that are safe in a signal
// handler.
static void run(const annex_detached *start, int report) {
    if (place_descriptors(start->program, report) >= 0 && chdir("/") >= 0 && become_user(start) >= 0) {
        report = REPORT;
        umask(022);
        reset_signals();
        syscall(SYS_execveat, PROGRAM, "", start->arguments, start->environment, AT_EMPTY_PATH);
    }
    int error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

int annex_start_detached(const annex_detached *start) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    // No signal handler of this process may run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        pid_t program = fork();
        if (program == 0) run(start, ends[1]);
        // The program is not a child of the caller, so the caller need not wait for the program's end.
        int error = errno;
        if (program < 0) (void)!write(ends[1], &error, sizeof error);
        _exit(0);
    }
    int error = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, 0);
    close(ends[1]);
    // The pipe ends when exec succeeds. If there is an error before that, the pipe carries the error.
    while (child >= 0 && read(ends[0], &error, sizeof error) < 0 && errno == EINTR) {}
    while (child >= 0 && waitpid(child, 0, 0) < 0 && errno == EINTR) {}
    close(ends[0]);
    return -error;
}
