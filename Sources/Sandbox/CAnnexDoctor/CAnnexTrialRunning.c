#define _GNU_SOURCE
#include "CAnnexTrialRunning.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CAnnexCalls.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define REPORT 3

struct report {
    int error;
    uint64_t value;
};

// The child has a copy of the host's memory, and only a copy of the thread that made the child. The child makes only
// system calls, and holds none of the host's descriptors.
static _Noreturn void be_child(int report, int (*function)(uint64_t *value)) {
    struct report said = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (report != REPORT) dup2(report, REPORT);
    syscall(SYS_close_range, REPORT + 1, ~0u, 0u);
    said.error = -function(&said.value);
    _exit(write(REPORT, &said, sizeof said) != sizeof said);
}

// A raw clone runs no fork handlers. The child has no exit signal, so the host gets no SIGCHLD, and the host's own wait
// ignores the child. Every signal is blocked during the clone, so that no handler of the host runs in the copy.
static pid_t make_child(int report, int *pidfd, int (*function)(uint64_t *value)) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    long child = syscall(SYS_clone, CLONE_PIDFD, (void *)0, pidfd, (void *)0, (void *)0);
    int error = errno;
    if (child == 0) be_child(report, function);
    pthread_sigmask(SIG_SETMASK, &before, (void *)0);
    errno = error;
    return (pid_t)child;
}

static int ends_within(int pidfd, int milliseconds) {
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};
    int ready;
    do ready = poll(&entry, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
}

static int wait_for(pid_t child, int *status) {
    pid_t gone;
    do gone = waitpid(child, status, __WALL);
    while (gone < 0 && errno == EINTR);
    return gone == child;
}

int annex_trial_run(int (*function)(uint64_t *value), int milliseconds, annex_trial_result *result) {
    *result = (annex_trial_result){0};
    int reading = -1, writing = -1, pidfd = -1, status = 0;
    int made = annex_pipe(&reading, &writing, 1);
    if (made < 0) return made;
    pid_t child = make_child(writing, &pidfd, function);
    int error = child < 0 ? errno : 0;
    close(writing);
    if (child > 0) {
        // The process number stays valid until the child is reaped below.
        if (!ends_within(pidfd, milliseconds)) {
            result->late = 1;
            kill(child, SIGKILL);
        }
        int taken = wait_for(child, &status);
        struct report said = {ECANCELED, 0};
        ssize_t count = read(reading, &said, sizeof said);
        result->error = count == sizeof said ? said.error : ECANCELED;
        result->value = said.value;
        // Another thread of the host may have reaped the child first. In this case, only the child's report is known.
        if (taken && WIFSIGNALED(status)) result->signal = WTERMSIG(status);
        close(pidfd);
    }
    close(reading);
    return -error;
}
