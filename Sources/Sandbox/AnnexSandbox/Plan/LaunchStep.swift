internal import AnnexWarden

/// The steps of a launch, in their order. Each has its time in a report and its name in a failure.
package enum LaunchStep: UInt32, Sendable, Hashable, CaseIterable {
    /// The plan itself is malformed.
    case plan
    /// Copies of the mounts to bind, made ahead of time (root only).
    case trees
    /// The process in its namespaces.
    case clone
    /// Joining the control groups.
    case cgroup
    /// Its clocks leave the machine's by a random time.
    case clocks
    /// The one line each of uid_map and gid_map, and how soon it ends when memory runs out.
    case maps
    case identity
    case propagation
    case root
    case scratches
    case binds
    case links
    /// A procfs of its own.
    case proc
    case pivot
    case hostname
    /// The loopback interface of its own network namespace.
    case loopback
    case directory
    case executable
    case session
    case capabilities
    case lifeline
    case noNewPrivileges
    /// Speculation that leaks switched off, and a core of its own, where they are offered.
    case speculation
    /// The first process clones the program and becomes its reaper.
    case reaper
    case descriptors
    case landlock
    case limits
    case seccomp
    /// The listener for refused calls, fetched from the process.
    case listener
    case exec

    /// As reports show it, for example `no-new-privs`.
    package var name: String {
        guard let name = unsafe annex_step_name(rawValue) else { return "step \(rawValue)" }
        // SAFETY: the text is a constant of the program.
        return unsafe String(cString: name)
    }
}
