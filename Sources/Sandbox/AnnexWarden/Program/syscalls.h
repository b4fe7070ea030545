// Raw system calls. Each returns the result or -errno. Nothing here allocates, keeps state or needs a C library.
#ifndef ANNEX_SYSCALLS_H
#define ANNEX_SYSCALLS_H

#include "kernel.h"

#if defined(__x86_64__)
enum {
    NR_read = 0, NR_write = 1, NR_close = 3, NR_mmap = 9, NR_mprotect = 10, NR_rt_sigaction = 13,
    NR_rt_sigprocmask = 14, NR_rt_sigreturn = 15, NR_ioctl = 16, NR_pread64 = 17, NR_madvise = 28, NR_nanosleep = 35,
    NR_getpid = 39, NR_socket = 41, NR_sendmsg = 46, NR_recvmsg = 47, NR_bind = 49, NR_listen = 50,
    NR_socketpair = 53, NR_clone = 56, NR_exit = 60,
    NR_wait4 = 61, NR_kill = 62, NR_fcntl = 72, NR_chdir = 80, NR_fchdir = 81, NR_umask = 95, NR_geteuid = 107, NR_getegid = 108,
    NR_setpgid = 109, NR_setsid = 112, NR_setgroups = 116, NR_setresuid = 117, NR_setresgid = 119,
    NR_capget = 125, NR_capset = 126, NR_rt_sigtimedwait = 128, NR_personality = 135, NR_getpriority = 140,
    NR_setpriority = 141, NR_sched_setscheduler = 144, NR_sched_getscheduler = 145, NR_pivot_root = 155,
    NR_prctl = 157, NR_chroot = 161, NR_mount = 165, NR_umount2 = 166, NR_sethostname = 170,
    NR_setdomainname = 171, NR_restart_syscall = 219, NR_clock_gettime = 228, NR_exit_group = 231,
    NR_epoll_ctl = 233, NR_waitid = 247, NR_keyctl = 250, NR_ioprio_set = 251, NR_ioprio_get = 252,
    NR_inotify_init = 253, NR_inotify_init1 = 294,
    NR_openat = 257, NR_mkdirat = 258, NR_mknodat = 259, NR_unlinkat = 263, NR_symlinkat = 266, NR_ppoll = 271,
    NR_unshare = 272, NR_epoll_pwait = 281, NR_signalfd4 = 289, NR_epoll_create1 = 291, NR_dup3 = 292,
    NR_pipe2 = 293, NR_prlimit64 = 302, NR_setns = 308, NR_seccomp = 317, NR_getrandom = 318, NR_execveat = 322,
    NR_statx = 332,
};
#elif defined(__aarch64__)
enum {
    NR_epoll_create1 = 20, NR_epoll_ctl = 21, NR_epoll_pwait = 22, NR_dup3 = 24, NR_fcntl = 25, NR_inotify_init1 = 26,
    NR_ioctl = 29,
    NR_ioprio_set = 30, NR_ioprio_get = 31, NR_mknodat = 33, NR_mkdirat = 34, NR_unlinkat = 35,
    NR_symlinkat = 36, NR_umount2 = 39, NR_mount = 40, NR_pivot_root = 41, NR_chdir = 49, NR_fchdir = 50,
    NR_chroot = 51, NR_openat = 56, NR_close = 57, NR_pipe2 = 59, NR_read = 63, NR_write = 64, NR_pread64 = 67, NR_ppoll = 73,
    NR_signalfd4 = 74, NR_capget = 90, NR_capset = 91, NR_personality = 92, NR_exit = 93, NR_exit_group = 94, NR_waitid = 95,
    NR_unshare = 97, NR_nanosleep = 101, NR_clock_gettime = 113, NR_sched_setscheduler = 119,
    NR_sched_getscheduler = 120, NR_restart_syscall = 128, NR_kill = 129, NR_rt_sigaction = 134,
    NR_rt_sigprocmask = 135, NR_rt_sigtimedwait = 137, NR_rt_sigreturn = 139, NR_setpriority = 140,
    NR_getpriority = 141, NR_setresuid = 147, NR_setresgid = 149, NR_setpgid = 154, NR_setsid = 157,
    NR_setgroups = 159, NR_sethostname = 161, NR_setdomainname = 162, NR_umask = 166, NR_prctl = 167,
    NR_getpid = 172, NR_geteuid = 175, NR_getegid = 177, NR_socket = 198, NR_socketpair = 199,
    NR_bind = 200, NR_listen = 201, NR_sendmsg = 211,
    NR_recvmsg = 212, NR_keyctl = 219, NR_clone = 220,
    NR_mmap = 222, NR_mprotect = 226, NR_madvise = 233, NR_wait4 = 260, NR_prlimit64 = 261,
    NR_setns = 268, NR_seccomp = 277, NR_getrandom = 278, NR_execveat = 281, NR_statx = 291,
};
#else
#error "the warden knows x86-64 and aarch64"
#endif

// Call numbers that are the same on all architectures.
enum {
    NR_open_tree = 428, NR_move_mount = 429, NR_fsopen = 430, NR_fsconfig = 431,
    NR_fsmount = 432, NR_pidfd_open = 434, NR_clone3 = 435, NR_close_range = 436, NR_openat2 = 437,
    NR_pidfd_getfd = 438, NR_mount_setattr = 442, NR_landlock_create_ruleset = 444, NR_landlock_add_rule = 445,
    NR_landlock_restrict_self = 446,
};

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#endif
}

// Missing arguments become zero, because some calls read all six registers (prctl rejects unknown values).
#define CALL_PICK(_0, _1, _2, _3, _4, _5, _6, name, ...) name
#define CALL_ARGUMENT(x) ((long)(x))
#define CALL_0(n) system_call(n, 0, 0, 0, 0, 0, 0)
#define CALL_1(n, a) system_call(n, CALL_ARGUMENT(a), 0, 0, 0, 0, 0)
#define CALL_2(n, a, b) system_call(n, CALL_ARGUMENT(a), CALL_ARGUMENT(b), 0, 0, 0, 0)
#define CALL_3(n, a, b, c) system_call(n, CALL_ARGUMENT(a), CALL_ARGUMENT(b), CALL_ARGUMENT(c), 0, 0, 0)
#define CALL_4(n, a, b, c, d) \
    system_call(n, CALL_ARGUMENT(a), CALL_ARGUMENT(b), CALL_ARGUMENT(c), CALL_ARGUMENT(d), 0, 0)
#define CALL_5(n, a, b, c, d, e) \
    system_call(n, CALL_ARGUMENT(a), CALL_ARGUMENT(b), CALL_ARGUMENT(c), CALL_ARGUMENT(d), CALL_ARGUMENT(e), 0)
#define CALL_6(n, a, b, c, d, e, f)                                                                         \
    system_call(n, CALL_ARGUMENT(a), CALL_ARGUMENT(b), CALL_ARGUMENT(c), CALL_ARGUMENT(d), CALL_ARGUMENT(e), \
                CALL_ARGUMENT(f))
#define CALL(...) CALL_PICK(__VA_ARGS__, CALL_6, CALL_5, CALL_4, CALL_3, CALL_2, CALL_1, CALL_0, )(__VA_ARGS__)

static inline void close_descriptor(int descriptor) {
    if (descriptor >= 0) CALL(NR_close, descriptor);
}

static inline uint64_t clock_now(void) {
    struct time now = {0, 0};
    CALL(NR_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

static inline _Noreturn void leave(int status) {
    for (;;) CALL(NR_exit_group, status);
}

#endif
