#define _GNU_SOURCE
#include "CAnnexLaunch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define CLOSE_RANGE_MARK_CLOEXEC 4u  // CLOSE_RANGE_CLOEXEC
#define SIGNALS 64
#define STACK_SIZE (64u * 1024u)
#define GUARD_SIZE (64u * 1024u)  // the largest page that Linux uses
#define FIRST_NUMBER 3
#define DESCRIPTORS_LARGEST 16u

// The host, the middle process and the helper share this struct until the helper executes its program. They share one
// address space, and only one of them runs at a time.
struct start {
    int program;
    const char *name;
    const int32_t *descriptors;
    uint32_t count;
    char *helper_stack;
    int pidfd;
    int process;
    volatile int error;
};

// The kernel's own layout of a signal action, with the kernel's size of a signal set. The C library's function
// `sigaction` is not used, because it refuses some signal numbers.
struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

static long set_mask(const uint64_t *mask, uint64_t *before) {
    return syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, before, sizeof *mask);
}

// exec resets only handled signals. Without this function, signals that the host ignores, such as SIGCHLD, would stay
// ignored.
static void reset_signals(void) {
    const struct kernel_action by_default = {0};
    const uint64_t none = 0;
    for (int number = 1; number <= SIGNALS; number++) {
        syscall(SYS_rt_sigaction, number, &by_default, (void *)0, sizeof by_default.mask);
    }
    set_mask(&none, (void *)0);
}

// First, every descriptor moves above the target numbers, because the target number of one descriptor may be the
// present number of another.
static int place_descriptors(struct start *start) {
    int lowest = FIRST_NUMBER + (int)start->count;
    int moved[DESCRIPTORS_LARGEST];
    start->program = fcntl(start->program, F_DUPFD_CLOEXEC, lowest);
    if (start->program < 0) return -1;
    for (uint32_t i = 0; i < start->count; i++) {
        moved[i] = fcntl(start->descriptors[i], F_DUPFD_CLOEXEC, lowest);
        if (moved[i] < 0) return -1;
    }
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) nothing = fcntl(nothing, F_DUPFD_CLOEXEC, lowest);
    if (nothing < 0) return -1;
    for (int number = 0; number < FIRST_NUMBER; number++) {
        if (dup3(nothing, number, 0) < 0) return -1;
    }
    for (uint32_t i = 0; i < start->count; i++) {
        if (dup3(moved[i], FIRST_NUMBER + (int)i, 0) < 0) return -1;
    }
    // The helper inherited the host's other descriptors. This call makes all of them close-on-exec.
    return (int)syscall(SYS_close_range, (unsigned)lowest, ~0u, CLOSE_RANGE_MARK_CLOEXEC);
}

static int become_helper(void *argument) {
    struct start *start = argument;
    char *const arguments[] = {(char *)(uintptr_t)start->name, (void *)0};
    char *const environment[] = {(void *)0};
    reset_signals();
    if (place_descriptors(start) == 0) {
        syscall(SYS_execveat, start->program, "", arguments, environment, AT_EMPTY_PATH);
    }
    start->error = errno;
    return 1;
}

// The middle process has no exit signal, so the host's wait and signal handlers ignore it. It never executes a program,
// because that would give it an exit signal. It shares the host's descriptor table, so that the helper's pidfd appears
// there. It changes nothing else in that table.
static int be_middle(void *argument) {
    struct start *start = argument;
    int process = clone(become_helper, start->helper_stack + STACK_SIZE,
                        CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, start, &start->pidfd);
    if (process < 0) start->error = errno;
    // If the helper could not execute its program, it is still a child of this process, and is reaped here.
    else if (start->error != 0) waitpid(process, (void *)0, 0);
    start->process = process;
    return 0;
}

static void run_middle(struct start *start, char *stack) {
    int middle = clone(be_middle, stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | CLONE_FILES, start);
    if (middle < 0) {
        start->error = errno;
        return;
    }
    // ECHILD means that another thread of the host waited for children of every kind, and has already reaped the
    // middle process. This does no harm, because the exit status is not needed.
    while (waitpid(middle, (void *)0, __WCLONE) < 0 && errno == EINTR) continue;
}

// Allocates two stacks, each with a guard area below it.
static char *make_stacks(void) {
    size_t size = 2 * (GUARD_SIZE + STACK_SIZE);
    char *place = mmap((void *)0, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) return (void *)0;
    int first = mprotect(place + GUARD_SIZE, STACK_SIZE, PROT_READ | PROT_WRITE);
    int second = mprotect(place + 2 * GUARD_SIZE + STACK_SIZE, STACK_SIZE, PROT_READ | PROT_WRITE);
    if (first == 0 && second == 0) return place;
    munmap(place, size);
    return (void *)0;
}

int annex_start_helper(int program, const char *name, const int32_t *descriptors, uint32_t count, int32_t *pidfd) {
    if (count > DESCRIPTORS_LARGEST) return -EINVAL;
    char *stacks = make_stacks();
    if (stacks == (void *)0) return -ENOMEM;
    struct start start = {
        .program = program, .name = name, .descriptors = descriptors, .count = count,
        .helper_stack = stacks + 2 * GUARD_SIZE + STACK_SIZE, .pidfd = -1, .process = -1};
    // No signal handler of the host may run in another process that shares its memory.
    const uint64_t all = ~(uint64_t)0;
    uint64_t before = 0;
    set_mask(&all, &before);
    run_middle(&start, stacks + GUARD_SIZE);
    set_mask(&before, (void *)0);
    munmap(stacks, 2 * (GUARD_SIZE + STACK_SIZE));
    if (start.error != 0) {
        if (start.pidfd >= 0) close(start.pidfd);
        return -start.error;
    }
    *pidfd = start.pidfd;
    return start.process;
}

int annex_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0; }

int annex_send_plan(int socket, const void *bytes, size_t size, const int32_t *descriptors, uint32_t count) {
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int32_t) * ANNEX_PLAN_MESSAGE_DESCRIPTORS)];
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > ANNEX_PLAN_MESSAGE_DESCRIPTORS) return -EINVAL;
    if (count > 0) {
        memset(control, 0, sizeof control);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(sizeof(int32_t) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int32_t) * count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int32_t) * count);
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}
