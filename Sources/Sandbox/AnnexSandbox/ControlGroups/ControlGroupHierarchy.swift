internal import AnnexLinux
internal import Glibc

/// Where this process may make control groups with a memory controller, and of which version they are.
///
/// Found once, from `/proc/self/mountinfo` and `/proc/self/cgroup`; nil where the machine gives none,
/// in which case memory is limited by `RLIMIT_DATA` and the report says `watched`.
package struct ControlGroupHierarchy: Sendable, Hashable {
    package enum Version: Sendable, Hashable {
        case one
        case two
    }

    package let version: Version
    /// The directory in which a launch makes its memory group.
    package let memory: String
    /// The directory in which a launch makes its pids group: version 2 keeps both in one.
    package let processes: String?

    package init(version: Version, memory: String, processes: String?) {
        self.version = version
        self.memory = memory
        self.processes = processes
    }
}

extension ControlGroupHierarchy {
    /// The first hierarchy in which a group can really be made, tried by making one.
    /// - Parameter candidates: where to try, in this order.
    package static func find(
        among candidates: [ControlGroupHierarchy] = ControlGroupHierarchy.candidates()
    ) -> ControlGroupHierarchy? {
        var group: ControlGroup?
        return find(among: candidates, keeping: &group)
    }

    /// - Parameter group: gets the one that was made to try.
    static func find(
        among candidates: [ControlGroupHierarchy], keeping group: inout ControlGroup?
    ) -> ControlGroupHierarchy? {
        for candidate in candidates {
            group = candidate.triedGroup()
            if group != nil { return candidate }
        }
        return nil
    }

    /// Every hierarchy of this machine that a broker might have made a group in, if only to try.
    package static func candidates() -> [ControlGroupHierarchy] {
        candidates(
            mounts: ControlGroupMount.all(in: TextFile.read("/proc/self/mountinfo") ?? ""),
            places: TextFile.read("/proc/self/cgroup") ?? "")
    }

    /// Version 2 first. A group that holds processes cannot give its children controllers, so the
    /// parent of our own group is asked too: the slice of a user's own service manager is such a parent.
    static func candidates(mounts: [ControlGroupMount], places: String) -> [ControlGroupHierarchy] {
        var found: [ControlGroupHierarchy] = []
        if let unified = mounts.first(where: { $0.version == .two }), let own = unified.place(in: places) {
            for place in [own, parent(of: own)] {
                found.append(ControlGroupHierarchy(version: .two, memory: unified.path + place, processes: nil))
            }
        }
        if let memory = mounts.first(where: { $0.controllers.contains("memory") }),
            let own = memory.place(in: places)
        {
            let pids = mounts.first { $0.controllers.contains("pids") }
            let processes = pids.flatMap { mount in mount.place(in: places).map { mount.path + $0 } }
            found.append(ControlGroupHierarchy(version: .one, memory: memory.path + own, processes: processes))
        }
        return found
    }

    /// `/a/b` gives `/a`; the root is its own parent and written as the empty string.
    private static func parent(of place: String) -> String {
        guard let slash = place.lastIndex(of: "/") else { return "" }
        return String(place[..<slash])
    }

    private func triedGroup() -> ControlGroup? {
        guard offersMemory, let group = try? ControlGroup(in: self, named: OwnedName.next()),
            unsafe access(group.memory + "/" + limitFile, W_OK) == 0
        else { return nil }
        return group
    }

    /// Whether a group that is made here has a memory controller: asked, since to make one and see takes far longer.
    private var offersMemory: Bool {
        guard version == .two, let given = TextFile.read(memory + "/cgroup.subtree_control") else { return true }
        return given.split(whereSeparator: \.isWhitespace).contains("memory")
    }

    var limitFile: String { version == .two ? "memory.max" : "memory.limit_in_bytes" }
}
