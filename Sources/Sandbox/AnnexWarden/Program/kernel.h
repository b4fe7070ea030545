// The kernel's numbers and layouts that the warden uses. They are defined here, because the headers of the build
// machine may be older than the running kernel. A freestanding program needs no other header.
#ifndef ANNEX_KERNEL_H
#define ANNEX_KERNEL_H

#include <stdint.h>

enum {
    EPERM = 1, ENOENT = 2, ESRCH = 3, EINTR = 4, EIO = 5, EAGAIN = 11, EBUSY = 16, ENODEV = 19, EINVAL = 22, EROFS = 30,
    ENOSYS = 38, EPROTO = 71, EMSGSIZE = 90, EAFNOSUPPORT = 97, EADDRNOTAVAIL = 99, ECONNRESET = 104,
    ETOOMANYREFS = 109, ESTALE = 116, EDQUOT = 122,
};

#define AT_FDCWD (-100)
#define AT_REMOVEDIR 0x200
#define AT_EMPTY_PATH 0x1000
#define AT_RECURSIVE 0x8000

#define O_RDONLY 0
#define O_WRONLY 1
#define O_CREAT 0100
#define O_EXCL 0200
#define O_CLOEXEC 02000000
#define O_PATH 010000000
#define O_NONBLOCK 04000
#if defined(__x86_64__)
#define O_DIRECTORY 0200000
#elif defined(__aarch64__)
#define O_DIRECTORY 040000
#endif

#define F_DUPFD_CLOEXEC 1030

#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_NO_SYMLINKS 0x04
#define RESOLVE_BENEATH 0x08

struct open_how {
    uint64_t flags, mode, resolve;
};

#define S_IFMT 0170000
#define S_IFCHR 0020000
#define S_IFDIR 0040000
#define STATX_TYPE 0x1
#define STATX_INO 0x100

struct statx {
    uint32_t mask, block_size;
    uint64_t attributes;
    uint32_t links, user, group;
    uint16_t mode, spare;
    uint64_t inode, size, blocks, attributes_mask;
    struct { int64_t seconds; uint32_t nanoseconds; int32_t reserved; } times[4];
    uint32_t node_major, node_minor;  // of a device node: the device that it names
    uint32_t device_major, device_minor;
    uint64_t mount;
    uint64_t more[13];
};
_Static_assert(sizeof(struct statx) == 256, "statx is 256 bytes");

#define CLONE_NEWTIME 0x00000080
#define CLONE_VM 0x00000100
#define CLONE_FS 0x00000200
#define CLONE_FILES 0x00000400
#define CLONE_SIGHAND 0x00000800
#define CLONE_PIDFD 0x00001000
#define CLONE_THREAD 0x00010000
#define CLONE_NEWNS 0x00020000
#define CLONE_NEWCGROUP 0x02000000
#define CLONE_NEWUTS 0x04000000
#define CLONE_NEWIPC 0x08000000
#define CLONE_NEWUSER 0x10000000
#define CLONE_NEWPID 0x20000000
#define CLONE_NEWNET 0x40000000
#define CLONE_INTO_CGROUP 0x200000000ull
// The low byte of the flags of clone(2) is the exit signal. Flags above 32 bits do not reach that call.
#define CLONE_OLD_FLAGS 0xffffff00ull

struct clone_arguments {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

#define P_ALL 0
#define P_PID 1
#define WNOHANG 0x1
#define WUNTRACED 0x2
#define WEXITED 0x4
#define WNOWAIT 0x1000000
#define WALL 0x40000000

struct time {
    int64_t seconds, nanoseconds;
};

struct usage {
    struct { int64_t seconds, microseconds; } user, system;
    int64_t largest_kibibytes;
    int64_t more[13];
};

#define CLOCK_MONOTONIC 1

#define POLLIN 0x1
struct poll_entry {
    int32_t descriptor;
    int16_t wanted, seen;
};

#define EPOLL_CLOEXEC O_CLOEXEC
#define EPOLL_CTL_ADD 1
#define EPOLL_CTL_DEL 2
#define EPOLL_CTL_MOD 3
#define EPOLLIN 0x1u
#define EPOLLOUT 0x4u
#define EPOLLET (1u << 31)
struct epoll_entry {
    uint32_t events;
    uint64_t data;
}
#if defined(__x86_64__)
__attribute__((packed))
#endif
;

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_SEQPACKET 5
#define SOCK_CLOEXEC O_CLOEXEC
#define SOL_SOCKET 1
#define SCM_RIGHTS 1
#define MSG_CTRUNC 0x8
#define MSG_TRUNC 0x20
#define MSG_DONTWAIT 0x40
#define MSG_NOSIGNAL 0x4000
#define MSG_CMSG_CLOEXEC 0x40000000

struct buffer {
    void *base;
    uint64_t length;
};
struct message {
    void *name;
    uint32_t name_length;
    struct buffer *buffers;
    uint64_t count;
    void *control;
    uint64_t control_length;
    uint32_t flags;
};
struct control_header {
    uint64_t length;
    int32_t level, type;
};

#define PROT_READ 0x1
#define PROT_WRITE 0x2
#define MAP_PRIVATE 0x02
#define MAP_ANONYMOUS 0x20
#define MAP_NORESERVE 0x4000
#define MADV_DONTNEED 4
#define MADV_DONTFORK 10
#define MADV_NOHUGEPAGE 15

#define RLIMIT_CORE 4
#define RLIMIT_NOFILE 7
#define RLIMIT_NICE 13
#define RLIMIT_RTPRIO 14
#define RLIMIT_RTTIME 15
#define RLIMIT_COUNT 16u
struct limit {
    uint64_t soft, hard;
};

#define MS_REC 0x4000
#define MS_PRIVATE (1 << 18)
#define MNT_DETACH 2
#define OPEN_TREE_CLONE 1
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#define MOVE_MOUNT_F_EMPTY_PATH 0x04
#define MOVE_MOUNT_T_EMPTY_PATH 0x40
#define FSOPEN_CLOEXEC 1
#define FSMOUNT_CLOEXEC 1
#define FSCONFIG_SET_STRING 1
#define FSCONFIG_CMD_CREATE 6
#define MOUNT_ATTR_RDONLY 0x1
#define MOUNT_ATTR_NOSUID 0x2
#define MOUNT_ATTR_NODEV 0x4
#define MOUNT_ATTR_NOEXEC 0x8
#define MOUNT_ATTR_IDMAP 0x00100000
struct mount_attributes {
    uint64_t set, clear, propagation, user_namespace;
};

#define PR_SET_PDEATHSIG 1
#define PR_SET_DUMPABLE 4
#define PR_SET_KEEPCAPS 8
#define PR_SET_NAME 15
#define PR_CAPBSET_DROP 24
#define PR_SET_SECUREBITS 28
#define PR_SET_NO_NEW_PRIVS 38
#define PR_CAP_AMBIENT 47
#define PR_CAP_AMBIENT_CLEAR_ALL 4
#define PR_GET_SPECULATION_CTRL 52
#define PR_SET_SPECULATION_CTRL 53
#define PR_SPEC_STORE_BYPASS 0
#define PR_SPEC_INDIRECT_BRANCH 1
#define PR_SPEC_FORCE_DISABLE 8
#define PR_SCHED_CORE 62
#define PR_SCHED_CORE_GET 0
#define PR_SCHED_CORE_CREATE 1
#define PR_SCHED_CORE_SCOPE_THREAD 0
#define PR_SCHED_CORE_SCOPE_THREAD_GROUP 1
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#define PR_MDWE_NO_INHERIT 2

#define SCHED_OTHER 0
#define SCHED_BATCH 3
#define SCHED_IDLE 5
#define SCHED_RESET_ON_FORK 0x40000000
#define PRIO_PROCESS 0
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_SHIFT 13
#define IOPRIO_CLASS_BEST_EFFORT 2
#define IOPRIO_CLASS_IDLE 3
#define IOPRIO_NORMAL 4
#define PERSONALITY_ASK 0xffffffffu

// NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE with their locks, and the lock of KEEP_CAPS (which stays off).
#define SECUREBITS_ALL_LOCKED 0xef

#define CAPABILITY_VERSION_3 0x20080522
#define CAPABILITY_LARGEST 63
#define CAPABILITY_DAC_OVERRIDE 1
#define CAPABILITY_KILL 5
#define CAPABILITY_SETGID 6
#define CAPABILITY_SETUID 7
#define CAPABILITY_SETPCAP 8
#define CAPABILITY_NET_ADMIN 12
#define CAPABILITY_SYS_CHROOT 18
#define CAPABILITY_SYS_PTRACE 19
#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_SETFCAP 31
struct capability_header {
    uint32_t version;
    int32_t process;
};
struct capability_data {
    uint32_t effective, permitted, inheritable;
};

#define KEYCTL_JOIN_SESSION_KEYRING 1
#define KEYCTL_SETPERM 5

#define LANDLOCK_RULE_PATH_BENEATH 1
#define LANDLOCK_RULE_NET_PORT 2
struct landlock_ruleset {
    uint64_t files, network, scopes;
};
struct landlock_port {
    uint64_t access, port;
};
struct landlock_path_beneath {
    uint64_t access;
    int32_t descriptor;
} __attribute__((packed));

#define SECCOMP_SET_MODE_FILTER 1
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1u << 3)
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1u << 5)
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#define SECCOMP_RET_ERRNO 0x00050000u
#define SECCOMP_RET_ALLOW 0x7fff0000u
#if defined(__x86_64__)
#define AUDIT_ARCH_OWN 0xc000003eu
#elif defined(__aarch64__)
#define AUDIT_ARCH_OWN 0xc00000b7u
#endif
struct filter_instruction {
    uint16_t code;
    uint8_t jump_true, jump_false;
    uint32_t operand;
};
struct filter_program {
    uint16_t count;
    const void *instructions;
};

#define PR_SET_CHILD_SUBREAPER 36

enum {
    SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGKILL = 9, SIGUSR1 = 10, SIGUSR2 = 12, SIGTERM = 15, SIGCHLD = 17,
    SIGCONT = 18, SIGSTOP = 19, SIGTSTP = 20, SIGWINCH = 28,
};
#define SIG_SETMASK 2
#define SIG_IGN 1u
#define SIGNAL_LARGEST 64u
// Two values of `code` in the structures below. They say who sent the signal: a process by kill(2), or the kernel
// itself.
#define SI_USER 0
#define SI_KERNEL 0x80
#define SA_NOCLDSTOP 1
// The result of rt_sigtimedwait and waitid. The sender's number is 0 if the sender is not a process of this pid
// namespace.
struct signal_information {
    int32_t number, error, code, padding;
    int32_t sender;
    uint32_t user;
    uint64_t more[13];
};
_Static_assert(sizeof(struct signal_information) == 128, "siginfo_t is 128 bytes");
// One record of a signalfd.
struct signal_notice {
    int32_t number, error, code, sender;
    uint64_t more[14];
};
_Static_assert(sizeof(struct signal_notice) == 128, "signalfd_siginfo is 128 bytes");

#define TIOCSCTTY 0x540E
#define TIOCSPGRP 0x5410
#define SIOCGIFFLAGS 0x8913
#define SIOCSIFFLAGS 0x8914
#define IFF_UP 0x1
struct interface_request {
    char name[16];
    int16_t flags;
    char more[22];
};
_Static_assert(sizeof(struct interface_request) == 40, "ifreq is 40 bytes");
// The kernel's size of a set of signals.
#define SIGNAL_SET_SIZE 8

#endif
