#define _GNU_SOURCE
#include "CFilterFixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define ANSWER_OF_LISTENER 133  // EHWPOISON: no call of this file returns it by itself
#define FAILED_TO_SET_UP 99

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#define SYS_pidfd_getfd 438
#endif

// Shared with the child. Once its filter is in force, the child has no other way to report.
typedef struct {
    volatile int listener;  // its number in the child; -1 before, -2 when it could not be made
    volatile int fetched;
    filter_probe probes[];
} shared_page;

static int install(const void *instructions, size_t count) {
    struct sock_fprog program = {.len = (unsigned short)count, .filter = (struct sock_filter *)instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

// The child keeps nothing of the test's process. Otherwise, the signal handlers of that process would run in the
// child, and the descriptors would disturb tests that run at the same time.
static void leave_process(void) {
    for (int number = 1; number < 65; number++) signal(number, SIG_DFL);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    close_range(3, ~0u, 0);
}

// The kernel kills the child when its parent dies. Otherwise, a child that waits for its parent, or blocks every
// signal, would outlive the parent for ever. A change of credentials clears this setting.
static void die_with_parent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(FAILED_TO_SET_UP);
}

static pid_t fork_apart(void) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        leave_process();
        die_with_parent(parent);
    }
    return child;
}

static void hand_over(shared_page *page, int listener) {
    page->listener = listener < 0 ? -2 : listener;
    // The child may only poll here, because no call would be answered yet.
    while (!page->fetched) {}
}

static int fetch(pid_t child, shared_page *page) {
    while (page->listener == -1) sched_yield();
    if (page->listener < 0) return -EINVAL;
    int handle = (int)syscall(SYS_pidfd_open, child, 0);
    int listener = (int)syscall(SYS_pidfd_getfd, handle, page->listener, 0);
    int result = listener < 0 ? -errno : listener;
    close(handle);
    page->fetched = 1;
    return result;
}

// Refuses every notified call until no process is left under the filter.
static void serve(int listener, int answer, int32_t *notified, size_t capacity, size_t *count) {
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    while (poll(&waiting, 1, -1) > 0 && !(waiting.revents & POLLHUP)) {
        struct seccomp_notif call;
        memset(&call, 0, sizeof call);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0) continue;
        if (count) {
            if (*count < capacity) notified[*count] = call.data.nr;
            *count += 1;
        }
        struct seccomp_notif_resp response = {.id = call.id, .error = -answer};
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }
}

// Marks the calls that must be made in any case: installing the second filter, and the end.
#define PASS 0x414e4e4558504153ULL

// A filter below the tested filter, so that no call is really made, whatever the tested filter allows. The kernel
// takes the stricter answer of the two. So the tested filter's answer shows if it is at least as strict as the
// floor's answer.
static int install_floor(uint32_t action) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 56),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)PASS, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 60),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(PASS >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, action),
    };
    struct sock_fprog floor = {.len = sizeof program / sizeof *program, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &floor);
}

static int install_above(const void *instructions, size_t count) {
    struct sock_fprog program = {.len = (unsigned short)count, .filter = (struct sock_filter *)instructions};
    return (int)syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program, 0, 0, PASS);
}

static uint32_t floor_action(filter_floor floor) {
    return floor == FILTER_FLOOR_TRACE ? SECCOMP_RET_TRACE : SECCOMP_RET_ERRNO | FILTER_FLOOR_ANSWER;
}

static void make_calls(shared_page *page, size_t count) {
    for (size_t index = 0; index < count; index++) {
        filter_probe *probe = &page->probes[index];
        uint64_t *a = probe->arguments;
        long result = syscall(probe->number, a[0], a[1], a[2], a[3], a[4], a[5]);
        probe->answer = result != -1 ? 0 : errno == ANSWER_OF_LISTENER ? FILTER_NOTIFIED : errno;
    }
    syscall(SYS_exit_group, 0, 0, 0, 0, 0, PASS);
}

int filter_probe_calls(
    const void *instructions, size_t count, filter_floor floor, filter_probe *probes, size_t probe_count) {
    size_t size = sizeof(shared_page) + probe_count * sizeof *probes;
    shared_page *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return -errno;
    page->listener = -1;
    for (size_t index = 0; index < probe_count; index++) {
        page->probes[index] = probes[index];
        page->probes[index].answer = FILTER_NOT_REACHED;
    }
    pid_t child = fork_apart();
    if (child == 0) {
        int listener = -1;
        if (floor == FILTER_NO_FLOOR) listener = install(instructions, count);
        else if (install_floor(floor_action(floor)) == 0) listener = install_above(instructions, count);
        hand_over(page, listener);
        make_calls(page, probe_count);
    }
    int listener = child < 0 ? -errno : fetch(child, page);
    if (listener >= 0) {
        serve(listener, ANSWER_OF_LISTENER, NULL, 0, NULL);
        close(listener);
    } else if (child > 0) {
        kill(child, SIGKILL);
    }
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    memcpy(probes, page->probes, probe_count * sizeof *probes);
    munmap(page, size);
    if (listener < 0) return listener;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

#ifdef __x86_64__
int filter_probe_foreign(const void *instructions, size_t count) {
    pid_t child = fork_apart();
    if (child == 0) {
        if (install(instructions, count) < 0) _exit(1);
        long result = 20;  // getpid of i386
        __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        _exit(0);
    }
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    return status;
}
#endif

// To change its root, an ordinary user needs a user namespace.
static int enter(const char *root) {
    if (geteuid() != 0) {
        pid_t parent = getppid();
        unshare(CLONE_NEWUSER);
        die_with_parent(parent);
    }
    return chroot(root) == 0 && chdir("/") == 0;
}

int filter_refuse(filter_call call, int error) {
    const unsigned numbers[] = {SYS_fsync, SYS_syncfs, SYS_sync_file_range};
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[call], 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    long set = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return set == 0 ? 0 : set > 0 ? -EBUSY : -errno;
}

// The files for which fsync was called, by inode number. Several threads may call at the same time.
#define MOST_SYNCED 256
static _Atomic uint64_t synced[MOST_SYNCED];
static _Atomic unsigned synced_count;
static int error_for_files;

#ifdef __x86_64__
#define CALL_ARGUMENT(context) (context)->uc_mcontext.gregs[REG_RDI]
#define CALL_RESULT(context) (context)->uc_mcontext.gregs[REG_RAX]
#else
#define CALL_ARGUMENT(context) (context)->uc_mcontext.regs[0]
#define CALL_RESULT(context) (context)->uc_mcontext.regs[0]
#endif

static void note_sync(int number, siginfo_t *info, void *place) {
    (void)number, (void)info;
    ucontext_t *context = place;
    int error = errno;
    struct stat status;
    int is_known = fstat((int)CALL_ARGUMENT(context), &status) == 0;
    unsigned index = is_known ? synced_count++ : MOST_SYNCED;
    if (index < MOST_SYNCED) synced[index] = status.st_ino;
    CALL_RESULT(context) = is_known && S_ISREG(status.st_mode) ? -error_for_files : 0;
    errno = error;
}

int filter_record_syncs(int error) {
    struct sigaction action = {.sa_sigaction = note_sync, .sa_flags = SA_SIGINFO | SA_NODEFER};
    error_for_files = error;
    if (sigaction(SIGSYS, &action, NULL) < 0) return -errno;
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    long set = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return set == 0 ? 0 : set > 0 ? -EBUSY : -errno;
}

int filter_was_synced(uint64_t inode) {
    unsigned count = synced_count;
    for (unsigned index = 0; index < count && index < MOST_SYNCED; index++) {
        if (synced[index] == inode) return 1;
    }
    return 0;
}

int filter_can_have_own_root(void) {
    pid_t child = fork_apart();
    if (child == 0) {
        _exit(enter("/") ? 0 : 1);
    }
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);
    return status == 0;
}

static void start(
    shared_page *page, const void *instructions, size_t count, uint64_t nonce, const char *program,
    const char *variable, const char *root) {
    char *arguments[] = {"program", NULL};
    char *environment[] = {"SWIFT_ROOT=/bundle", (char *)variable, NULL};
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 0);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    close_range(3, ~0u, 0);
    int executable = open(program, O_RDONLY | O_CLOEXEC);
    int alone = enter(root);
    hand_over(page, alone ? install(instructions, count) : -1);
    syscall(SYS_execveat, executable, "", arguments, environment, AT_EMPTY_PATH, nonce);
    syscall(SYS_exit_group, FAILED_TO_SET_UP);
}

int filter_run_program(
    const void *instructions, size_t count, uint64_t nonce, const char *program, const char *variable,
    const char *root, int32_t *notified, size_t capacity, size_t *notified_count) {
    shared_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return -errno;
    page->listener = -1;
    *notified_count = 0;
    pid_t child = fork_apart();
    if (child == 0) start(page, instructions, count, nonce, program, variable, root);
    int listener = child < 0 ? -errno : fetch(child, page);
    if (listener >= 0) {
        serve(listener, EPERM, notified, capacity, notified_count);
        close(listener);
    } else if (child > 0) {
        kill(child, SIGKILL);
    }
    int status = 0;
    if (child > 0) waitpid(child, &status, 0);
    munmap(page, sizeof *page);
    return listener < 0 ? listener : status;
}

struct quiet_run {
    void (*body)(void *);
    void *context;
    volatile int result;
};

static void *run_quietly(void *argument) {
    struct quiet_run *run = argument;
    // The first run makes the thread's own memory pools and whatever else is made once.
    run->body(run->context);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) < 0) {
        run->result = -errno;
        return 0;
    }
    run->body(run->context);
    run->result = 1;
    // The strict mode allows only this way to end.
    syscall(SYS_exit, 0);
    return 0;
}

int filter_runs_without_calls(void (*body)(void *), void *context) {
    struct quiet_run run = {.body = body, .context = context, .result = 0};
    pthread_t thread;
    int error = pthread_create(&thread, 0, run_quietly, &run);
    if (error != 0) return -error;
    pthread_join(thread, 0);
    return run.result;
}
