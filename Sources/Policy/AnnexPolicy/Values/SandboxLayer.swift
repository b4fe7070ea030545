/// One of the kernel's means that a sandbox is built from; the raw value is its word on the command line.
public enum SandboxLayer: String, CaseIterable, Sendable, Hashable {
    case user, mount, pid, network, ipc, uts, cgroup
    /// A root of its own that holds nothing but what the policy lists.
    case root
    case capabilities
    case noNewPrivileges = "no-new-privileges"
    case landlock, seccomp, keyring
    /// Clocks that do not say when the machine was started.
    case time
    /// Speculation that leaks switched off, and a core of its own while it runs: as far as the machine offers them. No
    /// statement of a policy rests on it.
    case speculation

    /// As people know it, for example `process namespace`.
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
