/// One kernel mechanism that a sandbox is built from. The raw value is its name on the command line.
public enum SandboxLayer: String, CaseIterable, Sendable, Hashable {
    case user, mount, pid, network, ipc, uts, cgroup
    /// The sandbox's own root directory. It contains only the paths that the policy lists.
    case root
    case capabilities
    case noNewPrivileges = "no-new-privileges"
    case landlock, seccomp, keyring
    /// Clocks that do not reveal when the machine was started.
    case time
    /// Protection against leaks by speculative execution. If the machine supports it, speculation that leaks is
    /// switched off, and the process runs alone on its core. No statement of a policy depends on this layer.
    case speculation
    /// The sandbox's own `/proc`, which shows only the sandbox's processes. A sandbox without this layer has no `/proc`,
    /// so the program has fewer abilities and no fewer restrictions.
    case processFiles = "proc"
    /// The kernel tells the broker of denied calls, and the broker decides calls that a filter cannot decide. Without
    /// this layer, the kernel refuses all these calls, and no report names them.
    case listener

    /// The layer's name for people, for example `process namespace`.
    public var title: String {
        switch self {
        case .user: "user namespace"
        case .mount: "mount namespace"
        case .pid: "process namespace"
        case .network: "network namespace"
        case .ipc: "IPC namespace"
        case .uts: "host name namespace"
        case .cgroup: "control group namespace"
        case .root: "own root"
        case .capabilities: "no capabilities"
        case .noNewPrivileges: "no new privileges"
        case .landlock: "Landlock"
        case .seccomp: "seccomp"
        case .keyring: "keyring"
        case .time: "time namespace"
        case .speculation: "speculation control"
        case .processFiles: "own process files"
        case .listener: "reports of denied calls"
        }
    }
}

extension SandboxLayer {
    /// What a sandbox lacks without this layer, for people who decide whether to do without it.
    public var loss: String {
        switch self {
        case .user: "the program stays in the caller's user namespace"
        case .mount: "the program sees the caller's mounts, and has no root of its own"
        case .pid: "the program sees other processes, and has no /proc of its own"
        case .network: "only the system call filter and Landlock withhold the network"
        case .ipc: "only the system call filter withholds message queues and shared memory of other programs"
        case .uts: "the program sees the name of the machine"
        case .cgroup: "the program sees the path of its control group"
        case .root: "the program sees the names of all files, and only Landlock withholds their contents"
        case .capabilities: "the program keeps the capabilities that the caller has"
        case .noNewPrivileges: "a set-user-ID program can give the program more rights"
        case .landlock: "only mounts withhold files, and local sockets with abstract names are in reach"
        case .seccomp: "the program can make every system call"
        case .keyring: "only the system call filter withholds the keys of the session"
        case .time: "the clocks tell when the machine was started"
        case .speculation: "side channels of the processor stay as they are"
        case .processFiles: "the sandbox has no /proc, so programs fail that need /proc/self or /dev/fd"
        case .listener: "no report names denied calls, and calls that Annex has to decide fail, such as file locks"
        }
    }
}
