internal import AnnexPolicy

/// Calls, arguments and paths that allow more than their names suggest. Each entry was once the way out of some
/// sandbox.
enum DangerousCalls {
    struct Call: Sendable {
        let call: String
        let why: String
        let remedy: String
        /// Whether only a rule without conditions is reported: conditions show that the policy's author has considered
        /// the call.
        var isOnlyUnconditional = false
    }

    struct Argument: Sendable {
        let call: String
        let argument: String
        let values: [String]
        let why: String
        /// Whether a rule without conditions is reported here as well, and not only by the table of calls.
        var alsoUnconditional = false
        /// The budget that makes the call harmless if calls are counted against it.
        var bound: CallBound? = nil
    }

    struct Path: Sendable {
        let path: String
        let why: String
        let isOnlyWritten: Bool
        /// Whether everything below the path is dangerous as well.
        var isWhole = false
    }

    private static let leaveOut = "leave it out; no shipped policy has it"

    static let all: [Call] = [
        Call(call: "ptrace", why: "rules over every process of its own and has a history of holes", remedy: leaveOut),
        Call(call: "process_vm_readv", why: "reads other processes", remedy: leaveOut),
        Call(call: "process_vm_writev", why: "writes other processes", remedy: leaveOut),
        Call(call: "process_madvise", why: "reaches into other processes", remedy: leaveOut),
        Call(call: "pidfd_getfd", why: "takes descriptors from other processes", remedy: leaveOut),
        Call(call: "bpf", why: "loads programs into the kernel", remedy: leaveOut),
        Call(call: "io_uring_setup", why: "makes calls that no filter sees", remedy: leaveOut),
        Call(call: "io_uring_enter", why: "makes calls that no filter sees", remedy: leaveOut),
        Call(call: "io_uring_register", why: "makes calls that no filter sees", remedy: leaveOut),
        Call(
            call: "userfaultfd", why: "stops the kernel in the middle of a copy, which exploits are built on",
            remedy: leaveOut),
        Call(call: "perf_event_open", why: "opens a large and often broken part of the kernel", remedy: leaveOut),
        Call(call: "keyctl", why: "reaches keys that no namespace holds apart", remedy: leaveOut),
        Call(call: "add_key", why: "reaches keys that no namespace holds apart", remedy: leaveOut),
        Call(call: "request_key", why: "makes the kernel start a program outside", remedy: leaveOut),
        Call(call: "open_by_handle_at", why: "opens files past every path", remedy: leaveOut),
        Call(call: "mount", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "umount2", why: "uncovers what mounts hide", remedy: leaveOut),
        Call(call: "move_mount", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "pivot_root", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "chroot", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "unshare", why: "makes namespaces, in which it has every capability", remedy: leaveOut),
        Call(call: "setns", why: "enters namespaces", remedy: leaveOut),
        Call(
            call: "clone3", why: "hides its flags in memory, so that no rule can see a new namespace",
            remedy: "refuse it with ENOSYS; C libraries fall back on clone"),
        Call(
            call: "openat2", why: "hides its flags in memory, so that no rule can see them",
            remedy: "refuse it with ENOSYS; programs fall back on openat"),
        Call(call: "vmsplice", why: "shares pages with pipes, which holes were built on", remedy: leaveOut),
        Call(call: "modify_ldt", why: "changes how the processor addresses memory", remedy: leaveOut),
        Call(call: "kexec_load", why: "starts another kernel", remedy: leaveOut),
        Call(call: "init_module", why: "loads code into the kernel", remedy: leaveOut),
        Call(call: "finit_module", why: "loads code into the kernel", remedy: leaveOut),
        Call(
            call: "execveat", why: "runs programs again and again, also from memory",
            remedy: "leave it out: the launch's own passes by itself"),
        Call(
            call: "ioctl", why: "is a call into every driver there is",
            remedy: "list the values of `request` that are needed",
            isOnlyUnconditional: true),
        Call(
            call: "prctl", why: "changes what the process may be and do",
            remedy: "list the values of `option` that are needed",
            isOnlyUnconditional: true),
        Call(
            call: "clone", why: "can make namespaces, in which it has every capability",
            remedy: "state `flags: { without: [CLONE_NEWUSER, …] }`", isOnlyUnconditional: true),
        Call(
            call: "socket", why: "opens every family of sockets, most of them holes of their own",
            remedy: "list the values of `domain` that are needed", isOnlyUnconditional: true),
        Call(
            call: "personality", why: "can make all memory executable and its addresses known",
            remedy: "list the values of `persona` that are needed", isOnlyUnconditional: true),
        Call(
            call: "arch_prctl", why: "changes how the processor runs the program",
            remedy: "list the values of `code` that are needed", isOnlyUnconditional: true),
    ]

    static let arguments: [Argument] = [
        Argument(
            call: "clone", argument: "flags",
            values: [
                "CLONE_NEWUSER", "CLONE_NEWNS", "CLONE_NEWNET", "CLONE_NEWPID", "CLONE_NEWIPC", "CLONE_NEWUTS",
                "CLONE_NEWCGROUP",
            ],
            why: "in a user namespace of its own it has every capability"),
        Argument(
            call: "socket", argument: "domain",
            values: [
                "AF_NETLINK", "AF_PACKET", "AF_ALG", "AF_VSOCK", "AF_XDP", "AF_KEY", "AF_TIPC", "AF_BLUETOOTH",
                "AF_CAN", "AF_RDS",
            ],
            why: "families that reach past namespaces or have a history of holes"),
        Argument(
            call: "ioctl", argument: "request", values: ["TIOCSTI", "TIOCLINUX", "TIOCCONS", "TIOCSCTTY"],
            why: "types into the terminal that it was started from"),
        Argument(
            call: "prctl", argument: "option",
            values: [
                "PR_SET_MM", "PR_SET_SYSCALL_USER_DISPATCH", "PR_SET_PTRACER", "PR_SET_SECUREBITS", "PR_CAP_AMBIENT",
                "PR_SET_SPECULATION_CTRL", "PR_SCHED_CORE",
            ],
            why: "loosens what holds the process"),
        Argument(
            call: "fcntl", argument: "command", values: ["F_SETOWN", "F_SETSIG", "F_NOTIFY", "F_SETLEASE"],
            why: "lets the kernel signal others, or holds up who opens the file"),
        Argument(
            call: "fcntl", argument: "command", values: ["F_SETLK", "F_SETLKW"],
            why: "locks are memory of the kernel that no limit counts", bound: .locks),
        Argument(
            call: "fcntl", argument: "command", values: ["F_OFD_SETLK", "F_OFD_SETLKW"],
            why: "locks are memory of the kernel that no limit counts, and of these nobody can tell whose they are"),
        Argument(
            call: "flock", argument: "operation", values: ["LOCK_EX"],
            why: "it needs no right to write and holds up whoever else locks the file", alsoUnconditional: true,
            bound: .locks),
        Argument(
            call: "mmap", argument: "flags", values: ["MAP_HUGETLB"],
            why: "huge pages are the machine's, and no limit counts them", alsoUnconditional: true),
        Argument(
            call: "madvise", argument: "advice", values: ["MADV_REMOVE", "MADV_HWPOISON"],
            why: "punches holes that the reader's faults fill", alsoUnconditional: true),
    ]

    static let paths: [Path] = [
        Path(path: "/etc/shadow", why: "every user's password hash is in it", isOnlyWritten: false),
        Path(path: "/etc/sudoers", why: "who may become root is in it", isOnlyWritten: false),
        Path(path: "/etc/ssh", why: "the machine's private keys are in it", isOnlyWritten: false),
        Path(path: "/run/docker.sock", why: "its holder is root on the machine", isOnlyWritten: false),
        Path(path: "/var/run/docker.sock", why: "its holder is root on the machine", isOnlyWritten: false),
        Path(path: "/run/dbus", why: "services outside can be asked through it", isOnlyWritten: false),
        Path(path: "/run/user", why: "sessions of users can be asked through it", isOnlyWritten: false),
        Path(path: "/sys/class", why: "the machine's devices are in it", isOnlyWritten: false),
        Path(path: "/usr", why: "what is written there is run by others", isOnlyWritten: true, isWhole: true),
        Path(path: "/opt", why: "what is written there is run by others", isOnlyWritten: true, isWhole: true),
        Path(
            path: "/var/spool/cron", why: "what is written there is run by others", isOnlyWritten: true, isWhole: true),
        Path(path: "/var/lib", why: "the system keeps its own state there", isOnlyWritten: true, isWhole: true),
        Path(path: "/boot", why: "what is written there is run at the next start", isOnlyWritten: true, isWhole: true),
    ]
}
