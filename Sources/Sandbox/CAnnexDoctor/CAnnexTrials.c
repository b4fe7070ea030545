#define _GNU_SOURCE
#include "CAnnexTrials.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CAnnexCalls.h"
#include "CAnnexLandlock.h"
#include "CAnnexSockets.h"
#include "CAnnexTrialRunning.h"

// The oldest supported headers do not define these numbers yet.
#define NR_fsopen 430
#define NR_fsconfig 431
#define NR_fsmount 432
#define NR_clone3 435
#define NR_close_range 436
#define NR_openat2 437
#define NR_epoll_pwait2 441
#define NR_landlock_create_ruleset 444
#define NR_landlock_restrict_self 446
#define CLOSE_RANGE_MARK_CLOEXEC 4u
#define NEW_LISTENER (1u << 3)
#define WAIT_KILLABLE (1u << 5)
#define SEAL_EXEC 0x20
#define MEMFD_CLOEXEC 0x1u
#define MEMFD_ALLOW_SEALING 0x2u
#define MEMFD_NOEXEC_SEAL 0x8u
#define CONFIGURE_FLAG 0
#define CONFIGURE_STRING 1
#define CONFIGURE_CREATE 6
#define JOIN_SESSION_KEYRING 1
#define PAGE 4096u

// Each function returns 0 or -errno. It runs in a separate child process, and may change that process in any way.
typedef int (*trial_function)(uint64_t *value);

static int result(long answer) { return answer < 0 ? -errno : 0; }

// MARK: - Calls

static int try_openat2(uint64_t *value) {
    (void)value;
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    return result(syscall(NR_openat2, AT_FDCWD, "/", &how, sizeof how));
}

static int try_close_range(uint64_t *value) {
    (void)value;
    return result(syscall(NR_close_range, ~0u, ~0u, CLOSE_RANGE_MARK_CLOEXEC));
}

static int try_epoll_pwait2(uint64_t *value) {
    (void)value;
    struct epoll_event event;
    struct timespec none = {0, 0};
    int queue = epoll_create1(EPOLL_CLOEXEC);
    return queue < 0 ? -errno : result(syscall(NR_epoll_pwait2, queue, &event, 1, &none, (void *)0, 0));
}

static int try_execveat(uint64_t *value) {
    (void)value;
    char *const none[] = {(void *)0};
    // Without a descriptor, the call cannot succeed. Any errno but EBADF means that a filter or an old kernel stopped
    // the call.
    syscall(SYS_execveat, -1, "", none, none, AT_EMPTY_PATH);
    return errno == EBADF ? 0 : -errno;
}

static int try_clone3(uint64_t *value) {
    (void)value;
    struct { uint64_t words[11]; } arguments = {{0}};
    long child = syscall(NR_clone3, &arguments, sizeof arguments);
    if (child == 0) _exit(0);
    if (child < 0) return -errno;
    // The child is reaped here. If it became an orphan, it would cause a SIGCHLD for the process that reaps orphans of
    // this process.
    return result(waitpid((pid_t)child, (void *)0, __WALL));
}

static int try_pidfd(uint64_t *value) {
    (void)value;
    int own = annex_pidfd_open(getpid());
    if (own < 0) return own;
    int sent = annex_pidfd_send_signal(own, 0);
    return sent < 0 ? sent : 0;
}

static int try_pidfd_getfd(uint64_t *value) {
    (void)value;
    int own = annex_pidfd_open(getpid());
    if (own < 0) return own;
    int copy = annex_pidfd_getfd(own, own);
    return copy < 0 ? copy : 0;
}

static int socket_trial(int (*use)(int)) {
    int one = -1, other = -1;
    int made = annex_socket_pair(&one, &other);
    if (made < 0) return made;
    int used = use(one);
    return used < 0 ? used : 0;
}

static int refuse_rights(int socket) { return annex_set_pass_rights(socket, 0); }

static int try_peer_pidfd(uint64_t *value) {
    (void)value;
    return socket_trial(annex_peer_pidfd);
}

static int try_pass_rights(uint64_t *value) {
    (void)value;
    return socket_trial(refuse_rights);
}

static int try_read_memory(uint64_t *value) {
    (void)value;
    char from = 1, to = 0;
    struct iovec here = {&to, 1}, there = {&from, 1};
    return result(process_vm_readv(getpid(), &here, 1, &there, 1, 0));
}

// MARK: - Memory

// A channel's memory as the host creates it: mapped for writing, and then sealed so that no other process can write to
// it.
static int sealed_memory(void) {
    int memory = annex_memfd_create("annex-trial", 0);
    if (memory < 0) return memory;
    if (ftruncate(memory, PAGE) < 0) return -errno;
    if (mmap((void *)0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) == MAP_FAILED) return -errno;
    int seals = ANNEX_SEAL_FUTURE_WRITE | ANNEX_SEAL_SHRINK | ANNEX_SEAL_GROW | ANNEX_SEAL_SEAL;
    int sealed = annex_add_seals(memory, seals);
    return sealed < 0 ? sealed : memory;
}

static int try_memfd_seals(uint64_t *value) {
    (void)value;
    int memory = sealed_memory();
    if (memory < 0) return memory;
    if (mmap((void *)0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) != MAP_FAILED) return -ENOTSUP;
    return mmap((void *)0, PAGE, PROT_READ, MAP_SHARED, memory, 0) == MAP_FAILED ? -errno : 0;
}

static int try_memfd_noexec(uint64_t *value) {
    (void)value;
    long memory =
        syscall(SYS_memfd_create, "annex-trial", MEMFD_CLOEXEC | MEMFD_ALLOW_SEALING | MEMFD_NOEXEC_SEAL);
    if (memory < 0) return -errno;
    int seals = annex_get_seals((int)memory);
    return seals < 0 ? seals : (seals & SEAL_EXEC) != 0 ? 0 : -ENOTSUP;
}

static int try_memfd_executable(uint64_t *value) {
    (void)value;
    int memory = annex_memfd_create("annex-trial", 1);
    return memory < 0 ? memory : 0;
}

static int try_futex_read_only(uint64_t *value) {
    (void)value;
    int memory = sealed_memory();
    if (memory < 0) return memory;
    uint32_t *word = mmap((void *)0, PAGE, PROT_READ, MAP_SHARED, memory, 0);
    if (word == MAP_FAILED) return -errno;
    struct timespec limit = {0, 1000000};
    if (syscall(SYS_futex, word, FUTEX_WAIT, 0, &limit, (void *)0, 0) == 0) return 0;
    return errno == ETIMEDOUT ? 0 : -errno;
}

// MARK: - Confinement

static int gain_no_more(void) { return result(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)); }

static int try_no_new_privs(uint64_t *value) {
    int set = gain_no_more();
    *value = (uint64_t)prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    return set < 0 ? set : *value == 1 ? 0 : -ENOTSUP;
}

static int install(unsigned flags) {
    struct sock_filter everything = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = 1, .filter = &everything};
    int ready = gain_no_more();
    return ready < 0 ? ready : result(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

static int try_seccomp(uint64_t *value) {
    (void)value;
    return install(0);
}

static int try_listener(uint64_t *value) {
    (void)value;
    return install(NEW_LISTENER);
}

static int try_wait_killable(uint64_t *value) {
    (void)value;
    return install(NEW_LISTENER | WAIT_KILLABLE);
}

static int try_landlock(uint64_t *value) {
    int version = annex_landlock_version();
    if (version < 0) return version;
    *value = (uint64_t)version;
    uint64_t handled[3] = {1, 0, 0};  // execution: every version has this right, and this child executes nothing
    long rules = syscall(NR_landlock_create_ruleset, handled, sizeof handled[0], 0);
    if (rules < 0) return -errno;
    int ready = gain_no_more();
    return ready < 0 ? ready : result(syscall(NR_landlock_restrict_self, rules, 0));
}

static int try_session_keyring(uint64_t *value) {
    (void)value;
    return result(syscall(SYS_keyctl, JOIN_SESSION_KEYRING, (void *)0, 0, 0, 0));
}

// MARK: - Namespaces

static int try_user_namespace(uint64_t *value) {
    (void)value;
    return result(unshare(CLONE_NEWUSER));
}

static int make_procfs(const char *option, const char *choice) {
    long context = syscall(NR_fsopen, "proc", 1);
    if (context < 0) return -errno;
    if (option && syscall(NR_fsconfig, context, CONFIGURE_STRING, option, choice, 0) < 0) return -errno;
    if (syscall(NR_fsconfig, context, CONFIGURE_CREATE, (void *)0, (void *)0, 0) < 0) return -errno;
    return result(syscall(NR_fsmount, context, 1, 0));
}

// The new process namespace holds only the next child. The child's exit status is the result. It can hold every
// errno, because every errno is below 256.
static int procfs_trial(const char *option, const char *choice) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) < 0) return -errno;
    long child = syscall(SYS_clone, CLONE_PARENT_SETTID, 0, 0, 0, 0);
    if (child < 0) return -errno;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        _exit(-make_procfs(option, choice) & 0xff);
    }
    int status = 0;
    if (waitpid((pid_t)child, &status, __WALL) < 0) return -errno;
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

static int try_procfs(uint64_t *value) {
    (void)value;
    return procfs_trial((void *)0, (void *)0);
}

static int try_procfs_subset(uint64_t *value) {
    (void)value;
    return procfs_trial("subset", "pid");
}

static const trial_function trials[ANNEX_TRIAL_COUNT] = {
    [ANNEX_TRIAL_OPENAT2] = try_openat2,
    [ANNEX_TRIAL_CLOSE_RANGE] = try_close_range,
    [ANNEX_TRIAL_EPOLL_PWAIT2] = try_epoll_pwait2,
    [ANNEX_TRIAL_EXECVEAT] = try_execveat,
    [ANNEX_TRIAL_CLONE3] = try_clone3,
    [ANNEX_TRIAL_PIDFD] = try_pidfd,
    [ANNEX_TRIAL_PIDFD_GETFD] = try_pidfd_getfd,
    [ANNEX_TRIAL_PEER_PIDFD] = try_peer_pidfd,
    [ANNEX_TRIAL_PASS_RIGHTS] = try_pass_rights,
    [ANNEX_TRIAL_READ_MEMORY] = try_read_memory,
    [ANNEX_TRIAL_MEMFD_SEALS] = try_memfd_seals,
    [ANNEX_TRIAL_MEMFD_NOEXEC] = try_memfd_noexec,
    [ANNEX_TRIAL_MEMFD_EXECUTABLE] = try_memfd_executable,
    [ANNEX_TRIAL_FUTEX_READ_ONLY] = try_futex_read_only,
    [ANNEX_TRIAL_NO_NEW_PRIVS] = try_no_new_privs,
    [ANNEX_TRIAL_SECCOMP] = try_seccomp,
    [ANNEX_TRIAL_LISTENER] = try_listener,
    [ANNEX_TRIAL_WAIT_KILLABLE] = try_wait_killable,
    [ANNEX_TRIAL_LANDLOCK] = try_landlock,
    [ANNEX_TRIAL_USER_NAMESPACE] = try_user_namespace,
    [ANNEX_TRIAL_PROCFS] = try_procfs,
    [ANNEX_TRIAL_PROCFS_SUBSET] = try_procfs_subset,
    [ANNEX_TRIAL_SESSION_KEYRING] = try_session_keyring,
};

int annex_trial(int trial, int milliseconds, annex_trial_result *result) {
    if (trial < 0 || trial >= ANNEX_TRIAL_COUNT) return -EINVAL;
    return annex_trial_run(trials[trial], milliseconds, result);
}
