internal import AnnexPolicy

/// The topic of a call. A proposed policy states the topic as the reason for the call, until a person writes a more
/// exact reason.
enum CallTopic {
    static func of(_ call: String) -> String {
        topics.first { $0.calls.contains(call) }?.topic ?? "Other calls that the program made."
    }

    static func of(_ bound: CallBound) -> String {
        switch bound {
        case .locks: "Locks on files."
        case .connections: "Connections to other machines."
        case .hosts: "Connections to named hosts."
        case .objects: "Shared memory, semaphores and message queues of System V."
        case .tracing: "Debuggers."
        }
    }

    private static let topics: [(topic: String, calls: Set<String>)] = [
        (
            "Memory of its own.",
            ["brk", "mmap", "munmap", "mprotect", "mremap", "madvise", "msync", "mincore", "memfd_create", "mlock"]
        ),
        (
            "Threads and processes of its own.",
            [
                "clone", "fork", "vfork", "execve", "wait4", "waitid", "exit", "futex", "kill", "tgkill", "tkill",
                "getpid",
                "gettid", "getppid", "set_tid_address", "set_robust_list", "rseq", "arch_prctl", "prctl", "prlimit64",
                "sched_getaffinity", "sched_yield", "setpgid", "setsid", "getpgrp", "getpgid", "getsid",
            ]
        ),
        (
            "Files by their paths.",
            [
                "open", "openat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2",
                "readlink",
                "readlinkat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir",
                "chdir",
                "getcwd", "chmod", "fchmodat", "link", "linkat", "symlink", "symlinkat", "statfs", "truncate",
                "utimensat",
            ]
        ),
        (
            "Descriptors that it holds.",
            [
                "close", "fstat", "lseek", "pread64", "pwrite64", "readv", "writev", "fcntl", "ioctl", "dup", "dup2",
                "dup3",
                "pipe", "pipe2", "poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait",
                "epoll_pwait", "getdents64", "ftruncate", "fsync", "fdatasync", "fadvise64", "fallocate", "flock",
                "eventfd2", "close_range", "copy_file_range", "sendfile", "fstatfs", "fchmod", "umask",
            ]
        ),
        (
            "Time and signals.",
            [
                "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times",
                "rt_sigaction", "rt_sigprocmask", "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack", "setitimer",
                "alarm",
                "getrusage", "timer_create", "timer_settime", "timer_delete", "pause",
            ]
        ),
        (
            "Facts about the process and the machine.",
            [
                "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid", "uname", "sysinfo",
                "getrandom", "getcpu", "getrlimit", "getpriority",
            ]
        ),
        (
            "Sockets.",
            [
                "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "recvfrom",
                "sendmsg",
                "recvmsg", "sendmmsg", "recvmmsg", "shutdown", "getsockname", "getpeername", "setsockopt", "getsockopt",
            ]
        ),
    ]
}
