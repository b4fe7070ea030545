internal import AnnexLaunch
internal import AnnexLinux
internal import CAnnexDoctor
internal import Glibc

/// Finds the places where a control group with a memory limit can be made, by making a group in each place.
package enum ControlGroupExamination {
    /// One place, and the result of making a group in it.
    struct Attempt: Sendable, Hashable {
        let hierarchy: ControlGroupHierarchy
        /// The error; nil if a group was made and its memory limit was written.
        let error: SystemError?
        /// The controllers that a group at this place has, among memory, pids and cpu.
        var controllers: [String] = []
    }

    static func findings() -> [Finding] {
        var places: [ControlGroupHierarchy] = []
        for place in ControlGroupHierarchy.candidates() where !places.contains(place) { places.append(place) }
        let attempts = places.map(attempt)
        return [memory(attempts), scope(reach: reachable(), isNeeded: !attempts.contains { $0.error == nil })]
            + attempts.map(finding)
    }

    private static func attempt(_ hierarchy: ControlGroupHierarchy) -> Attempt {
        let probe = hierarchy.memory + "/" + OwnedName.next()
        guard unsafe mkdir(probe, 0o755) == 0 else {
            return Attempt(hierarchy: hierarchy, error: SystemError("mkdir", errno: errno, path: hierarchy.memory))
        }
        defer { ControlGroup.remove(probe) }
        var controllers: [String] = []
        for (name, file) in [("memory", hierarchy.limitFile), ("pids", "pids.max"), ("cpu", "cpu.max")] {
            if unsafe access(probe + "/" + file, W_OK) == 0 { controllers.append(name) }
        }
        let limit = probe + "/" + hierarchy.limitFile
        do throws(SystemError) {
            try TextFile.write("\(64 << 20)", to: limit)
        } catch {
            return Attempt(hierarchy: hierarchy, error: error, controllers: controllers)
        }
        return Attempt(hierarchy: hierarchy, error: nil, controllers: controllers)
    }

    private static func finding(_ attempt: Attempt) -> Finding {
        let version = attempt.hierarchy.version == .two ? "2" : "1"
        let seen =
            attempt.error.map(\.cause)
            ?? "\(attempt.hierarchy.memory): a group was made, with \(attempt.controllers.joined(separator: ", "))"
        return Finding(
            "cgroup:\(attempt.hierarchy.memory)", topic: .limits, title: "control group, version \(version)",
            level: attempt.error == nil ? .works : .note, seen: seen,
            meaning: attempt.error == nil ? nil : "this place is not used")
    }

    /// The finding that summarizes all places.
    static func memory(_ attempts: [Attempt]) -> Finding {
        if let used = attempts.first(where: { $0.error == nil }) {
            let version = used.hierarchy.version == .two ? 2 : 1
            return Finding(
                "memory-limit", topic: .limits, title: "memory limits by the kernel", level: .works,
                seen: "enforced by control groups, version \(version), in \(used.hierarchy.memory)")
        }
        return Finding(
            "memory-limit", topic: .limits, title: "memory limits by the kernel", level: .weaker,
            seen: attempts.isEmpty
                ? "/proc/self/mountinfo: no control group with a memory controller"
                : "no group could be made in any of \(attempts.count) places",
            meaning:
                "memory is watched, not enforced: RLIMIT_DATA limits private memory, and Annex measures the use of all "
                + "memory ten times a second",
            remedy: getuid() == 0
                ? "mount a control group with the memory controller, or give this container one (--cgroupns=host, "
                    + "or delegate it)"
                : "systemd-run --user --scope -p Delegate=yes -- COMMAND")
    }

    /// The path of the socket of the user's own service manager, and the errno of connecting to this socket. The
    /// service manager can delegate groups. nil for root.
    private static func reachable() -> (path: String, errno: Int32)? {
        guard getuid() != 0 else { return nil }
        // SAFETY: the text is copied before anything can change the environment.
        let folder = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) } ?? "/run/user/\(getuid())"
        let path = folder + "/systemd/private"
        // SAFETY: the call reads the text and keeps nothing.
        return unsafe (path, -annex_reach_socket(path))
    }

    static func scope(reach: (path: String, errno: Int32)?, isNeeded: Bool) -> Finding {
        let title = "systemd user scope"
        guard let reach else {
            return Finding(
                "systemd-scope", topic: .limits, title: title, level: .works,
                seen: "not needed: root makes groups by itself")
        }
        guard reach.errno != 0 else {
            return Finding(
                "systemd-scope", topic: .limits, title: title, level: isNeeded ? .note : .works,
                seen: "\(reach.path): answers",
                meaning: isNeeded ? "a scope with a delegated group would enforce memory limits" : nil,
                remedy: isNeeded ? "systemd-run --user --scope -p Delegate=yes -- COMMAND" : nil)
        }
        return Finding(
            "systemd-scope", topic: .limits, title: title, level: .note,
            seen: "connect \(reach.path): \(Errno.name(reach.errno)) (\(Errno.text(reach.errno)))",
            meaning: "no service manager of this user delegates control groups",
            remedy: isNeeded ? "sudo loginctl enable-linger $USER, and log in again" : nil)
    }
}
