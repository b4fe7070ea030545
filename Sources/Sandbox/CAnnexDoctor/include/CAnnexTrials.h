// Tests what this kernel really offers to this user. Each feature is really tried, in a separate process.
#ifndef C_ANNEX_TRIALS_H
#define C_ANNEX_TRIALS_H

#include <stdint.h>

enum {
    ANNEX_TRIAL_OPENAT2,
    ANNEX_TRIAL_CLOSE_RANGE,
    ANNEX_TRIAL_EPOLL_PWAIT2,
    ANNEX_TRIAL_EXECVEAT,
    ANNEX_TRIAL_CLONE3,
    ANNEX_TRIAL_PIDFD,           // pidfd_open, pidfd_send_signal
    ANNEX_TRIAL_PIDFD_GETFD,
    ANNEX_TRIAL_PEER_PIDFD,      // SO_PEERPIDFD
    ANNEX_TRIAL_PASS_RIGHTS,     // SO_PASSRIGHTS
    ANNEX_TRIAL_READ_MEMORY,     // process_vm_readv
    ANNEX_TRIAL_MEMFD_SEALS,     // F_SEAL_FUTURE_WRITE with a writer that keeps its mapping
    ANNEX_TRIAL_MEMFD_NOEXEC,    // MFD_NOEXEC_SEAL
    ANNEX_TRIAL_MEMFD_EXECUTABLE,
    ANNEX_TRIAL_FUTEX_READ_ONLY, // FUTEX_WAIT on a mapping that cannot be written
    ANNEX_TRIAL_NO_NEW_PRIVS,
    ANNEX_TRIAL_SECCOMP,
    ANNEX_TRIAL_LISTENER,        // SECCOMP_FILTER_FLAG_NEW_LISTENER
    ANNEX_TRIAL_WAIT_KILLABLE,   // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
    ANNEX_TRIAL_LANDLOCK,        // a ruleset enforced; `value` is the ABI
    ANNEX_TRIAL_USER_NAMESPACE,
    ANNEX_TRIAL_PROCFS,          // a new one, in a user and a process namespace of its own
    ANNEX_TRIAL_PROCFS_SUBSET,   // the same with subset=pid
    ANNEX_TRIAL_SESSION_KEYRING,
    ANNEX_TRIAL_COUNT
};

typedef struct {
    int32_t error;   // 0 if it works; else the errno of the kernel
    int32_t signal;  // the signal that killed the trial, or 0; SIGSYS if a filter around this process kills
    int32_t late;    // 1 if it did not end in time and was killed
    uint64_t value;
} annex_trial_result;

// Tries one feature in a child process. The caller's handlers and ordinary waits do not notice the child. The function
// returns after at most `milliseconds`, and the child is then gone. Returns 0, or -errno if no child could be made.
int annex_trial(int trial, int milliseconds, annex_trial_result *result);

#endif
