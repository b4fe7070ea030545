internal import AnnexPolicy

/// Calls, arguments and paths that allow more than their names suggest. Each of them was once used to escape from a
/// sandbox.
enum DangerousCalls {
    struct Call: Sendable {
        let call: String
        let why: String
        let remedy: String
        /// Whether only a rule without conditions is reported. Conditions show that the policy's author has considered
        /// the call.
        var isOnlyUnconditional = false
    }

    struct Argument: Sendable {
        let call: String
        let argument: String
        let values: [String]
        let why: String
        /// Whether a rule without conditions is also reported for this argument, in addition to the entry in the table
        /// of calls.
        var alsoUnconditional = false
        /// The bound that makes the call harmless if the broker enforces it.
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

    private static let forDebuggers = "leave it out, unless the program is a debugger"

    static let all: [Call] = [
        Call(
            call: "ptrace", why: "controls the other processes of the sandbox and has a history of vulnerabilities",
            remedy: forDebuggers),
        Call(call: "process_vm_readv", why: "reads the memory of other processes", remedy: forDebuggers),
        Call(call: "process_vm_writev", why: "writes the memory of other processes", remedy: forDebuggers),
        Call(call: "process_madvise", why: "acts on the memory of other processes", remedy: leaveOut),
        Call(call: "pidfd_getfd", why: "takes descriptors from other processes", remedy: leaveOut),
        Call(call: "bpf", why: "loads programs into the kernel", remedy: leaveOut),
        Call(call: "io_uring_setup", why: "makes calls that no filter sees", remedy: leaveOut),
        Call(call: "io_uring_enter", why: "makes calls that no filter sees", remedy: leaveOut),
        Call(call: "io_uring_register", why: "makes calls that no filter sees", remedy: leaveOut),
        Call(
            call: "userfaultfd", why: "stops the kernel in the middle of a copy, which many exploits use",
            remedy: leaveOut),
        Call(
            call: "perf_event_open", why: "opens a large part of the kernel with a history of vulnerabilities",
            remedy: leaveOut),
        Call(call: "keyctl", why: "reaches keys that no namespace separates", remedy: leaveOut),
        Call(call: "add_key", why: "reaches keys that no namespace separates", remedy: leaveOut),
        Call(call: "request_key", why: "makes the kernel start a program outside the sandbox", remedy: leaveOut),
        Call(call: "open_by_handle_at", why: "opens files without a path, past every mount", remedy: leaveOut),
        Call(call: "mount", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "umount2", why: "uncovers what mounts hide", remedy: leaveOut),
        Call(call: "move_mount", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "pivot_root", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "chroot", why: "changes what paths lead to", remedy: leaveOut),
        Call(call: "unshare", why: "makes namespaces, in which the process has every capability", remedy: leaveOut),
        Call(call: "setns", why: "enters namespaces", remedy: leaveOut),
        Call(
            call: "clone3", why: "hides its flags in memory, so that no rule can see a new namespace",
            remedy: "refuse it with ENOSYS; C libraries fall back on clone"),
        Call(
            call: "openat2", why: "hides its flags in memory, so that no rule can see them",
            remedy: "refuse it with ENOSYS; programs fall back on openat"),
        Call(call: "vmsplice", why: "shares pages with pipes, which exploits have used", remedy: leaveOut),
        Call(call: "modify_ldt", why: "changes how the processor addresses memory", remedy: leaveOut),
        Call(call: "kexec_load", why: "starts another kernel", remedy: leaveOut),
        Call(call: "init_module", why: "loads code into the kernel", remedy: leaveOut),
        Call(call: "finit_module", why: "loads code into the kernel", remedy: leaveOut),
        Call(
            call: "execveat", why: "executes programs at any time, also from memory",
            remedy: "leave it out: the launch's own `execveat` needs no rule"),
        Call(
            call: "ioctl", why: "reaches every driver of the kernel",
            remedy: "list the values of `request` that are needed",
            isOnlyUnconditional: true),
        Call(
            call: "prctl", why: "changes the attributes and rights of the process",
            remedy: "list the values of `option` that are needed",
            isOnlyUnconditional: true),
        Call(
            call: "clone", why: "can make namespaces, in which the process has every capability",
            remedy: "state `flags: { without: [CLONE_NEWUSER, …] }`", isOnlyUnconditional: true),
        Call(
            call: "socket", why: "opens every family of sockets, many with a history of vulnerabilities",
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
            why: "in its own user namespace the process has every capability"),
        Argument(
            call: "socket", argument: "domain",
            values: [
                "AF_NETLINK", "AF_PACKET", "AF_ALG", "AF_VSOCK", "AF_XDP", "AF_KEY", "AF_TIPC", "AF_BLUETOOTH",
                "AF_CAN", "AF_RDS",
            ],
            why: "these families reach past namespaces or have a history of vulnerabilities"),
        Argument(
            call: "ioctl", argument: "request", values: ["TIOCSTI", "TIOCLINUX", "TIOCCONS", "TIOCSCTTY"],
            why: "these requests type into, or take over, the terminal that started the program"),
        Argument(
            call: "prctl", argument: "option",
            values: [
                "PR_SET_MM", "PR_SET_SYSCALL_USER_DISPATCH", "PR_SET_PTRACER", "PR_SET_SECUREBITS", "PR_CAP_AMBIENT",
                "PR_SET_SPECULATION_CTRL", "PR_SCHED_CORE",
            ],
            why: "these options weaken the protection around the process"),
        Argument(
            call: "fcntl", argument: "command", values: ["F_SETOWN", "F_SETSIG", "F_NOTIFY", "F_SETLEASE"],
            why: "these commands make the kernel signal other processes, or delay processes that open the file"),
        Argument(
            call: "fcntl", argument: "command", values: ["F_SETLK", "F_SETLKW"],
            why: "locks are memory of the kernel that no limit counts", bound: .locks),
        Argument(
            call: "fcntl", argument: "command", values: ["F_OFD_SETLK", "F_OFD_SETLKW"],
            why:
                "locks are memory of the kernel that no limit counts, and the kernel does not name the holder of these"
        ),
        Argument(
            call: "flock", argument: "operation", values: ["LOCK_EX"],
            why: "it needs no right to write and delays every other process that locks the file",
            alsoUnconditional: true,
            bound: .locks),
        Argument(
            call: "mmap", argument: "flags", values: ["MAP_HUGETLB"],
            why: "huge pages belong to the whole machine, and no limit counts them", alsoUnconditional: true),
        Argument(
            call: "madvise", argument: "advice", values: ["MADV_REMOVE", "MADV_HWPOISON"],
            why: "it punches holes in memory, which page faults of a reader fill", alsoUnconditional: true),
    ]

    static let paths: [Path] = [
        Path(path: "/etc/shadow", why: "it contains the password hash of every user", isOnlyWritten: false),
        Path(path: "/etc/sudoers", why: "it lists the users that may become root", isOnlyWritten: false),
        Path(path: "/etc/ssh", why: "it contains the machine's private keys", isOnlyWritten: false),
        Path(path: "/run/docker.sock", why: "a process that can use it is root on the machine", isOnlyWritten: false),
        Path(
            path: "/var/run/docker.sock", why: "a process that can use it is root on the machine", isOnlyWritten: false),
        Path(path: "/run/dbus", why: "it reaches services outside the sandbox", isOnlyWritten: false),
        Path(path: "/run/user", why: "it reaches the sessions of users", isOnlyWritten: false),
        Path(path: "/sys/class", why: "it contains the machine's devices", isOnlyWritten: false),
        Path(path: "/usr", why: "other users run the files that are written there", isOnlyWritten: true, isWhole: true),
        Path(path: "/opt", why: "other users run the files that are written there", isOnlyWritten: true, isWhole: true),
        Path(
            path: "/var/spool/cron", why: "other users run the files that are written there", isOnlyWritten: true,
            isWhole: true),
        Path(path: "/var/lib", why: "the system keeps its own state there", isOnlyWritten: true, isWhole: true),
        Path(
            path: "/boot", why: "the machine runs the files there at its next start", isOnlyWritten: true, isWhole: true
        ),
    ]
}
