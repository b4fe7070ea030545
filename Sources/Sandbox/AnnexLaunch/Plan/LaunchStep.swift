internal import AnnexWarden

/// The steps of a launch, in their order. A report gives the time of each step, and a failure names the failed step.
package enum LaunchStep: UInt32, Sendable, Hashable, CaseIterable {
    /// Reading the plan. The step fails if the plan is malformed.
    case plan
    /// Copying, in advance, the mounts that are bound later. Only a warden that runs as root does this.
    case trees
    /// Creating the process in its namespaces.
    case clone
    /// Joining the control groups.
    case cgroup
    /// Shifting the process's clocks by a random time, so that they differ from the machine's clocks.
    case clocks
    /// Letting the process numbers of the sandbox begin at a random place, so that two sandboxes do not use the same.
    case numbers
    /// Limiting in the user namespace how much the program watches (inotify).
    case watches
    /// Writing uid_map and gid_map, one line each. Also writing oom_score_adj, which decides how early the kernel kills
    /// the process if memory runs out.
    case maps
    /// Giving an id map to directories whose files belong to another user on disk. Only a warden that runs as root does
    /// this.
    case owners
    case identity
    case propagation
    case root
    case scratches
    case binds
    case links
    /// Making the files and empty directories that the plan itself contains.
    case files
    /// Hiding, protecting and holding parts of what is bound.
    case parts
    /// Mounting a procfs of the sandbox's own.
    case proc
    case pivot
    case hostname
    /// Bringing up the loopback interface of the sandbox's own network namespace.
    case loopback
    case directory
    case executable
    case session
    case capabilities
    case lifeline
    case noNewPrivileges
    /// Switching off speculation that leaks data, and reserving a core against sibling threads, if the machine offers
    /// these controls.
    case speculation
    /// Cloning the program from the first process, which becomes the program's reaper.
    case reaper
    case descriptors
    case landlock
    case limits
    case seccomp
    /// Fetching the listener for denied calls from the process.
    case listener
    case exec

    /// The name in reports, for example `no-new-privs`.
    package var name: String {
        guard let name = unsafe annex_step_name(rawValue) else { return "step \(rawValue)" }
        // SAFETY: the text is a constant of the program.
        return unsafe String(cString: name)
    }
}
