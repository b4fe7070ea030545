#define _GNU_SOURCE
#include "CAnnexStandIn.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// This process is a copy of a process with threads, so nothing here may allocate or lock.
static _Noreturn void keep(int pidfd, uint64_t deadline, pid_t parent) {
    const struct timespec moment = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    // This process gets its own process group, so that a stop signal for the caller's group does not stop this process.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, (void *)0) == EINTR) continue;
    syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, (void *)0, 0);
    _exit(0);
}

int annex_stand_in(int pidfd, uint64_t deadline) {
    pid_t parent = getpid();
    // A raw clone is used instead of fork, because fork would run registered handlers that take locks.
    pid_t process = (pid_t)syscall(SYS_clone, SIGCHLD, (void *)0, (void *)0, (void *)0, (void *)0);
    if (process == 0) keep(pidfd, deadline, parent);
    return process < 0 ? -errno : process;
}

void annex_dismiss(int process) {
    kill(process, SIGKILL);
    while (waitpid(process, (void *)0, 0) < 0 && errno == EINTR) continue;
}
