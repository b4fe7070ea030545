internal import AnnexLinux
internal import Glibc

/// What all sandboxes of one user, or of one host, may have together.
package struct GroupShare: Sendable, Hashable {
    /// What the group is called where its place is delegated and the name is free; nil: as any other.
    package var name: String?
    /// Bytes; nil: as much as the group above has.
    package var memory: UInt64?
    /// Processes and threads; nil: as many as the group above may have.
    package var processes: UInt64?
    /// Against the other users, and against the host itself, which has 100: of the processors, and of the disks.
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

/// A control group above those of launches, which bounds them together: made before the first, and removed with the last
/// that refers to it.
final class ControlGroupNode: Sendable {
    /// Where launches make theirs.
    let hierarchy: ControlGroupHierarchy

    /// Makes the group, and writes its limits.
    /// - Throws: `EEXIST` where there is one of this name: that is another broker's, which removes it when it likes.
    init(in above: ControlGroupHierarchy, named name: String, _ share: GroupShare) throws(SystemError) {
        let place = ControlGroupHierarchy(
            version: above.version, memory: above.memory + "/" + name,
            processes: above.processes.map { $0 + "/" + name })
        for directory in Self.directories(of: place) { try ControlGroup.make(directory) }
        // From here on they are removed with this value.
        hierarchy = place
        let files = ControlFiles(above.version)
        if above.version == .two { try DelegatedGroup(at: place.memory).handDown() }
        if let memory = share.memory { _ = try files.limit(memory: memory, in: place.memory) }
        if let processes = share.processes {
            _ = try files.limit(processes: processes, in: place.processes ?? place.memory)
        }
        _ = try files.share(.init(processor: share.processorWeight, disk: share.diskWeight), in: place.memory)
    }

    /// Under a name that says whose it is.
    convenience init(in above: ControlGroupHierarchy, _ share: GroupShare) throws(SystemError) {
        try self.init(in: above, named: OwnedName.next(), share)
    }

    /// For whoever must remove them should the broker be killed.
    var directories: [String] { Self.directories(of: hierarchy) }

    private static func directories(of place: ControlGroupHierarchy) -> [String] {
        [place.memory] + (place.processes.map { [$0] } ?? [])
    }

    deinit {
        for directory in directories { unsafe rmdir(directory) }
    }
}
