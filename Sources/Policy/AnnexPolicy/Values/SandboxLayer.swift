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
        }
    }
}
