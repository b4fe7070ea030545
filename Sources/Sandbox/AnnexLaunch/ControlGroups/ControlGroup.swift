package import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The control groups of one launch. They are made before the launch and removed when this value is destroyed.
package struct ControlGroup: ~Copyable, Sendable {
    let hierarchy: ControlGroupHierarchy
    /// The directory that limits memory.
    package let memory: String
    /// The directory that limits processes. In version 2 it equals `memory`. nil if no limit on processes is needed.
    package private(set) var processes: String?
    /// The limits that the kernel accepted.
    package private(set) var bounds: GroupBounds = []
    /// The parent group, if a launcher of this process made it. The parent group can be removed only after all groups
    /// below it.
    private let node: ControlGroupNode?

    /// Makes the group that limits memory. The group has no limit and no members yet.
    /// - Parameter node: the parent group, if a launcher of this process made it.
    init(
        in hierarchy: ControlGroupHierarchy, below node: ControlGroupNode? = nil, named name: String
    ) throws(SystemError) {
        self.hierarchy = hierarchy
        self.node = node
        memory = Self.directory(in: hierarchy, named: name)
        processes = nil
        try Self.make(memory)
    }

    /// Makes the groups and writes their limits.
    ///
    /// - Parameter processLimit: nil if the extension may have only one process. Its filter and `RLIMIT_NPROC` already
    ///   enforce that, so version 1 needs no second group.
    /// - Throws: if the kernel rejects a limit.
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

    /// The directory of the group with this name that limits memory.
    static func directory(in hierarchy: ControlGroupHierarchy, named name: String) -> String {
        hierarchy.memory + "/" + name
    }

    static func make(_ directory: String) throws(SystemError) {
        guard unsafe mkdir(directory, 0o755) == 0 else {
            throw SystemError("mkdir", errno: errno, path: directory)
        }
    }

    /// Writes the limits, and makes the second group if the number of processes is limited.
    mutating func limit(
        memory memoryLimit: UInt64, processes processLimit: UInt64?, share: ControlFiles.Share = .sandbox
    ) throws(SystemError) {
        let files = ControlFiles(hierarchy.version)
        bounds = try files.limit(memory: memoryLimit, in: memory)
        bounds.formUnion(try files.withholdHugePages(in: memory))
        bounds.formUnion(try files.share(share, in: memory))
        guard let processLimit, let directory = processesDirectory else { return }
        if directory != memory { try Self.make(directory) }
        processes = directory
        bounds.formUnion(try files.limit(processes: processLimit, in: directory))
    }

    private var processesDirectory: String? {
        guard hierarchy.version == .one else { return memory }
        guard let name = PathText.parts(memory).last else { return nil }
        return hierarchy.processes.map { $0 + "/" + name }
    }

    deinit {
        remove()
    }

    /// Every directory of these groups. The warden gets this list, so that it can remove the directories if the broker
    /// is killed.
    package var directories: [String] {
        guard let processes, processes != memory else { return [memory] }
        return [memory, processes]
    }

    /// The kernel's counts of the members' memory. They are final only after the last member has ended.
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

    /// The file that holds the members' present memory use in bytes.
    var usageFile: String {
        memory + (hierarchy.version == .two ? "/memory.current" : "/memory.usage_in_bytes")
    }

    /// The file that holds the processor time of all members, including members that have ended. nil in version 1,
    /// which counts this time in another hierarchy, where Annex makes no group.
    var processorFile: String? { hierarchy.version == .two ? memory + "/cpu.stat" : nil }

    /// Whether the groups still exist. Another program may have removed them.
    var isThere: Bool { directories.allSatisfy { unsafe access($0, F_OK) == 0 } }

    /// Whether any process is in one of the groups.
    var hasMembers: Bool {
        directories.contains { !(TextFile.read($0 + "/cgroup.procs") ?? "").isEmpty }
    }

    /// Kills all members and waits until the groups are empty. It waits at most a second, because the kernel may be
    /// unable to end a process.
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

    /// Removes one group. The group stays busy for a moment while a former member is reaped.
    package static func remove(_ directory: String) {
        for _ in 0..<20 {
            if unsafe rmdir(directory) == 0 || errno != EBUSY { return }
            usleep(1000)
        }
    }
}

/// The counts that a control group has of its members' memory.
package struct MemoryUse: Sendable, Hashable {
    /// The most bytes that were charged at one time; nil if the kernel does not report it.
    package let peak: UInt64?
    /// How many members the kernel killed because the limit was reached.
    package let kills: UInt64

    package init(peak: UInt64?, kills: UInt64) {
        self.peak = peak
        self.kills = kills
    }
}

extension ControlGroup {
    /// Removes the groups of brokers that no longer run. These groups remain if a broker and its warden are killed
    /// together.
    ///
    /// - Returns: the directories that were removed.
    package static func sweep(_ hierarchy: ControlGroupHierarchy) -> [String] {
        var removed: [String] = []
        // One broker can own many groups, one for each extension. So the process of each broker is looked up only
        // once.
        var owned: [OwnedName.Owner: Bool] = [:]
        for parent in Set([hierarchy.memory] + (hierarchy.processes.map { [$0] } ?? [])) {
            for name in names(in: parent) {
                let isOwned = owned[name.whose] ?? name.isOwned
                owned[name.whose] = isOwned
                if isOwned { continue }
                let directory = parent + "/" + name.text
                clear(directory)
                if unsafe access(directory, F_OK) != 0 { removed.append(directory) }
            }
        }
        return removed
    }

    /// Removes a group, its processes and the groups below it. Only a `ControlGroupNode` has groups below it.
    private static func clear(_ directory: String) {
        for name in names(in: directory) { clear(directory + "/" + name.text) }
        end(membersOf: directory)
        remove(directory)
    }

    private static func names(in directory: String) -> [OwnedName] {
        // SAFETY: the stream is closed on the only path out of the function, and each entry is read before the next
        // call.
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var found: [OwnedName] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if let ours = OwnedName(name) { found.append(ours) }
        }
        return found
    }

    /// Kills every process in a group. From Linux 5.14 on, version 2 does this with one write. Otherwise each process
    /// is killed through a handle, because its number may be reused before the signal. The members are read again after
    /// the handle is open, so that a handle of a reused number is not used.
    static func end(membersOf directory: String) {
        if (try? TextFile.write("1", to: directory + "/cgroup.kill")) != nil { return }
        for process in members(of: directory) where process > 1 {
            guard let handle = try? ProcessHandle(process: process), members(of: directory).contains(process) else {
                continue
            }
            try? handle.sendSignal(SIGKILL)
        }
    }

    private static func members(of directory: String) -> [pid_t] {
        TextFile.lines(of: TextFile.read(directory + "/cgroup.procs") ?? "").compactMap { pid_t($0) }
    }
}
