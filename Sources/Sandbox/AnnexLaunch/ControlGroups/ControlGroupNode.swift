internal import AnnexLinux
internal import Glibc

/// The limits that all sandboxes of one user, or of one host, share.
package struct GroupShare: Sendable, Hashable {
    /// The name of the group, used if its place is delegated and the name is free; nil: a generated name, as for any
    /// group.
    package var name: String?
    /// The memory limit in bytes; nil: the limit of the group above.
    package var memory: UInt64?
    /// The limit for processes and threads; nil: the limit of the group above.
    package var processes: UInt64?
    /// The weights for the processors and for the disks, against the groups of other users and the host itself, which
    /// has 100.
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

/// A control group above the groups of launches, which limits all of them together. It is made before the first of them
/// and removed with the last reference to it.
final class ControlGroupNode: Sendable {
    /// The place in which launches make their groups.
    let hierarchy: ControlGroupHierarchy

    /// Makes the group and writes its limits.
    /// - Throws: `EEXIST` if a group of this name exists. That one belongs to another broker, which may remove it at
    ///   any time.
    init(in above: ControlGroupHierarchy, named name: String, _ share: GroupShare) throws(SystemError) {
        let place = ControlGroupHierarchy(
            version: above.version, memory: above.memory + "/" + name,
            processes: above.processes.map { $0 + "/" + name })
        for directory in Self.directories(of: place) { try ControlGroup.make(directory) }
        // From here on, the initializer's failure removes the directories too: `deinit` runs.
        hierarchy = place
        let files = ControlFiles(above.version)
        if above.version == .two { try DelegatedGroup(at: place.memory).handDown() }
        if let memory = share.memory { _ = try files.limit(memory: memory, in: place.memory) }
        if let processes = share.processes {
            _ = try files.limit(processes: processes, in: place.processes ?? place.memory)
        }
        _ = try files.share(.init(processor: share.processorWeight, disk: share.diskWeight), in: place.memory)
    }

    /// Makes the group under a generated name that identifies its owner.
    convenience init(in above: ControlGroupHierarchy, _ share: GroupShare) throws(SystemError) {
        try self.init(in: above, named: OwnedName.next(), share)
    }

    /// Every directory of the group. The warden gets this list, to remove them if the broker is killed.
    var directories: [String] { Self.directories(of: hierarchy) }

    private static func directories(of place: ControlGroupHierarchy) -> [String] {
        [place.memory] + (place.processes.map { [$0] } ?? [])
    }

    deinit {
        for directory in directories { unsafe rmdir(directory) }
    }
}
