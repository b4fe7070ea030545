package import AnnexLinux
internal import Glibc

/// The control groups of one launch: made before it, removed when the owner ends.
package struct ControlGroup: ~Copyable, Sendable {
    let hierarchy: ControlGroupHierarchy
    /// The directory that limits memory.
    package let memory: String
    /// The directory that limits processes, where one is needed; the same one in version 2.
    package private(set) var processes: String?
    /// What was really written.
    package private(set) var bounds: GroupBounds = []
    /// The group above, which may go only when none is below it any more.
    private let node: ControlGroupNode?

    /// Makes the group that limits memory, without a limit yet: nobody is in it.
    /// - Parameter node: the group above, where that is one of ours.
    init(
        in hierarchy: ControlGroupHierarchy, below node: ControlGroupNode? = nil, named name: String
    ) throws(SystemError) {
        self.hierarchy = hierarchy
        self.node = node
        memory = Self.directory(in: hierarchy, named: name)
        processes = nil
        try Self.make(memory)
    }

    /// Makes the groups and writes their limits. A limit that the kernel does not take fails the launch.
    ///
    /// - Parameter processLimit: nil where the extension may have no process but its own, which its filter and
    ///   `RLIMIT_NPROC` hold already: in version 1 that saves making and removing a second group.
    package init(
        in hierarchy: ControlGroupHierarchy, memoryLimit: UInt64, processLimit: UInt64?
    ) throws(SystemError) {
        self.hierarchy = hierarchy
        node = nil
        memory = Self.directory(in: hierarchy, named: OwnedName.next())
        processes = nil
        try Self.make(memory)
        try limit(memory: memoryLimit, processes: processLimit)
    }

    /// Where a group of this name limits memory.
    static func directory(in hierarchy: ControlGroupHierarchy, named name: String) -> String {
        hierarchy.memory + "/" + name
    }

    static func make(_ directory: String) throws(SystemError) {
        guard unsafe mkdir(directory, 0o755) == 0 else {
            throw SystemError("mkdir", errno: errno, path: directory)
        }
    }

    /// Writes its limits, and makes the second group where the number of processes is one.
    mutating func limit(memory memoryLimit: UInt64, processes processLimit: UInt64?) throws(SystemError) {
        let files = ControlFiles(hierarchy.version)
        bounds = try files.limit(memory: memoryLimit, in: memory)
        bounds.formUnion(try files.withholdHugePages(in: memory))
        bounds.formUnion(try files.share(.sandbox, in: memory))
        guard let processLimit, let directory = processesDirectory else { return }
        if directory != memory { try Self.make(directory) }
        processes = directory
        bounds.formUnion(try files.limit(processes: processLimit, in: directory))
    }

    private var processesDirectory: String? {
        guard hierarchy.version == .one else { return memory }
        let name = memory.split(separator: "/").last ?? ""
        return hierarchy.processes.map { $0 + "/" + name }
    }

    deinit {
        remove()
    }

    /// Every directory of these groups, for whoever must remove them should the broker be killed.
    package var directories: [String] {
        guard let processes, processes != memory else { return [memory] }
        return [memory, processes]
    }

    /// What the kernel counted; read after the last process is gone.
    package func memoryUse() -> MemoryUse {
        switch hierarchy.version {
        case .one:
            return MemoryUse(
                peak: TextFile.number(memory + "/memory.max_usage_in_bytes"),
                kills: TextFile.number(memory + "/memory.oom_control", key: "oom_kill") ?? 0)
        case .two:
            return MemoryUse(
                peak: TextFile.number(memory + "/memory.peak"),
                kills: TextFile.number(memory + "/memory.events", key: "oom_kill") ?? 0)
        }
    }

    /// What its members use now, in bytes, is in this file.
    var usageFile: String {
        memory + (hierarchy.version == .two ? "/memory.current" : "/memory.usage_in_bytes")
    }

    /// What its members have used of the processors, those that ended included, is in this file; version 1 counts
    /// that in a hierarchy of its own, where no group is made.
    var processorFile: String? { hierarchy.version == .two ? memory + "/cpu.stat" : nil }

    /// Whether nobody else has removed it.
    var isThere: Bool { directories.allSatisfy { unsafe access($0, F_OK) == 0 } }

    /// Whether anybody is in one of them.
    var hasMembers: Bool {
        directories.contains { !(TextFile.read($0 + "/cgroup.procs") ?? "").isEmpty }
    }

    /// Ends whatever is in them, and waits until nothing is: a second at most, for the kernel may not be able to.
    func endMembers() {
        for _ in 0..<1000 {
            for directory in directories { Self.end(membersOf: directory) }
            guard hasMembers else { return }
            usleep(1000)
        }
    }

    private func remove() {
        for directory in directories { ControlGroup.remove(directory) }
    }

    /// Removes one group. A process that is being reaped keeps it busy for a moment.
    static func remove(_ directory: String) {
        for _ in 0..<20 {
            if unsafe rmdir(directory) == 0 || errno != EBUSY { return }
            usleep(1000)
        }
    }
}
