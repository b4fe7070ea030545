internal import AnnexLinux
internal import Glibc

/// What all sandboxes of one user, or of one host, may have together.
package struct GroupShare: Sendable, Hashable {
    /// The group's name where its place is delegated.
    package var name: String
    /// Bytes; nil: as much as the group above has.
    package var memory: UInt64?
    /// Processes and threads; nil: as many as the group above may have.
    package var processes: UInt64?
    /// Against the other users, and against the host itself, which has 100: of the processors, and of the disks.
    package var processorWeight: Int
    package var diskWeight: Int

    package init(
        name: String, memory: UInt64? = nil, processes: UInt64? = nil, processorWeight: Int = 50, diskWeight: Int = 50
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

    /// Makes the group, or takes the one that is there, and writes its limits.
    init(in above: ControlGroupHierarchy, named name: String, _ share: GroupShare) throws(SystemError) {
        hierarchy = ControlGroupHierarchy(
            version: above.version, memory: above.memory + "/" + name,
            processes: above.processes.map { $0 + "/" + name })
        let files = ControlFiles(above.version)
        for directory in directories {
            guard unsafe mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                throw SystemError("mkdir", errno: errno, path: directory)
            }
        }
        if above.version == .two { try DelegatedGroup(at: hierarchy.memory).handDown() }
        if let memory = share.memory { _ = try files.limit(memory: memory, in: hierarchy.memory) }
        if let processes = share.processes {
            _ = try files.limit(processes: processes, in: hierarchy.processes ?? hierarchy.memory)
        }
        _ = try files.share(.init(processor: share.processorWeight, disk: share.diskWeight), in: hierarchy.memory)
    }

    /// The memory group's first.
    private var directories: [String] { [hierarchy.memory] + (hierarchy.processes.map { [$0] } ?? []) }

    deinit {
        // Another broker of the same user may be in it, or this one again.
        for directory in directories { unsafe rmdir(directory) }
    }
}
