internal import AnnexLinux
internal import Glibc

/// The control group below which one launcher makes its groups.
struct GroupParent {
    let hierarchy: ControlGroupHierarchy
    /// The group above the groups of launches. It limits all launches together. nil if there is no such group.
    let node: ControlGroupNode?

    /// Finds the parent of a launcher's groups. If the program has a delegated group, the parent is a node in that
    /// group. So the limits of the program's systemd unit apply. Otherwise the parent is the first candidate in which
    /// a group can be made.
    ///
    /// - Parameters:
    ///   - share: the limits and weights for all launches together. If nil, the node in a delegated group gets no
    ///     limits, and its weights are lower than those of the host.
    ///   - candidates: the list that `ControlGroupHierarchy.candidates` returns. This process's own group of version 2
    ///     comes first.
    ///   - spare: receives the empty group that was made to try the parent, if there is such a group.
    /// - Returns: nil if no group with a memory limit can be made.
    static func find(
        _ share: GroupShare?, among candidates: [ControlGroupHierarchy], spare: inout ControlGroup?
    ) throws(SystemError) -> GroupParent? {
        if let unit = delegated(candidates) {
            guard let share else { return GroupParent(below: try ControlGroupNode(in: unit, GroupShare())) }
            return GroupParent(below: try node(in: unit, share))
        }
        guard let hierarchy = ControlGroupHierarchy.find(among: candidates, keeping: &spare) else { return nil }
        guard let share else { return GroupParent(hierarchy: hierarchy, node: nil) }
        // The test group was made outside the share's own group, so the share would not limit it. Therefore the test
        // group cannot be used as the spare group.
        spare = nil
        return GroupParent(below: try ControlGroupNode(in: hierarchy, share))
    }

    private init(hierarchy: ControlGroupHierarchy, node: ControlGroupNode?) {
        self.hierarchy = hierarchy
        self.node = node
    }

    private init(below node: ControlGroupNode) {
        self.init(hierarchy: node.hierarchy, node: node)
    }

    /// Makes the node. The node gets the share's own name if no other group has that name.
    private static func node(
        in unit: ControlGroupHierarchy, _ share: GroupShare
    ) throws(SystemError) -> ControlGroupNode {
        guard let name = share.name else { return try ControlGroupNode(in: unit, share) }
        do throws(SystemError) {
            return try ControlGroupNode(in: unit, named: name, share)
        } catch {
            guard error.errno == EEXIST else { throw error }
            return try ControlGroupNode(in: unit, share)
        }
    }

    /// The group that was delegated to this program, after the program has moved into the leaf of that group. nil if
    /// there is no delegated group with memory limits.
    private static func delegated(_ candidates: [ControlGroupHierarchy]) -> ControlGroupHierarchy? {
        guard let own = candidates.first(where: { $0.version == .two })?.memory, let unit = DelegatedGroup(own: own)
        else { return nil }
        do throws(SystemError) {
            try unit.settle()
        } catch {
            return nil
        }
        let hierarchy = ControlGroupHierarchy(version: .two, memory: unit.path, processes: nil)
        return ControlGroupHierarchy.find(among: [hierarchy])
    }
}

/// The limits that all sandboxes of one user, or of one host, share.
package struct GroupShare: Sendable, Hashable {
    /// The name of the group. The name is used if the parent is delegated and no other group has the name. If
    /// nil, the group gets a generated name, like any other group.
    package var name: String?
    /// The memory limit in bytes. If nil, the limit of the parent group applies.
    package var memory: UInt64?
    /// The limit for processes and threads. If nil, the limit of the parent group applies.
    package var processes: UInt64?
    /// The weights for the processors and for the disks. The kernel compares them with the weights of other users'
    /// groups, and with the weight of the host itself, which is 100.
    package var processorWeight: Int
    package var diskWeight: Int

    package init(
        name: String? = nil, memory: UInt64? = nil, processes: UInt64? = nil, processorWeight: Int = 50,
        diskWeight: Int = 50
    ) {
        self.name = name
        self.memory = memory
        self.processes = processes
        self.processorWeight = processorWeight
        self.diskWeight = diskWeight
    }
}

/// A control group above the groups of launches. It limits all launches together. It is made before the first group of
/// a launch. It is removed when the last reference to this object is gone.
final class ControlGroupNode: Sendable {
    /// The hierarchy in which launches make their groups.
    let hierarchy: ControlGroupHierarchy

    /// Makes the group and writes its limits.
    /// - Throws: `EEXIST` if a group with this name exists. That group belongs to another broker, which may remove it
    ///   at any time.
    init(in above: ControlGroupHierarchy, named name: String, _ share: GroupShare) throws(SystemError) {
        let own = ControlGroupHierarchy(
            version: above.version, memory: above.memory + "/" + name,
            processes: above.processes.map { $0 + "/" + name })
        for directory in Self.directories(of: own) { try ControlGroup.make(directory) }
        // From here on, a failure of the initializer runs `deinit`, which removes the directories.
        hierarchy = own
        let files = ControlFiles(above.version)
        if above.version == .two { try DelegatedGroup(at: own.memory).handDown() }
        if let memory = share.memory { _ = try files.limit(memory: memory, in: own.memory) }
        if let processes = share.processes {
            _ = try files.limit(processes: processes, in: own.processes ?? own.memory)
        }
        _ = try files.share(.init(processor: share.processorWeight, disk: share.diskWeight), in: own.memory)
    }

    /// Makes the group under a generated name that identifies its owner.
    convenience init(in above: ControlGroupHierarchy, _ share: GroupShare) throws(SystemError) {
        try self.init(in: above, named: OwnedName.next(), share)
    }

    /// Every directory of the group. The warden gets this list, so that it can remove the directories if the broker is
    /// killed.
    var directories: [String] { Self.directories(of: hierarchy) }

    private static func directories(of hierarchy: ControlGroupHierarchy) -> [String] {
        [hierarchy.memory] + (hierarchy.processes.map { [$0] } ?? [])
    }

    deinit {
        for directory in directories { unsafe rmdir(directory) }
    }
}
