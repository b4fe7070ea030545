package import AnnexLinux
internal import Glibc

/// The control groups of one launch: made before it, removed when the owner ends.
package struct ControlGroup: ~Copyable, Sendable {
    let hierarchy: ControlGroupHierarchy
    /// The directory that limits memory.
    package let memory: String
    /// The directory that limits processes, where one is needed; the same one in version 2.
    package private(set) var processes: String?

    /// Makes the group that limits memory, without a limit yet: nobody is in it.
    init(in hierarchy: ControlGroupHierarchy, named name: String) throws(SystemError) {
        self.hierarchy = hierarchy
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
        memory = Self.directory(in: hierarchy, named: OwnedName.next())
        processes = nil
        try Self.make(memory)
        try limit(memory: memoryLimit, processes: processLimit)
    }

    /// Where a group of this name limits memory.
    static func directory(in hierarchy: ControlGroupHierarchy, named name: String) -> String {
        hierarchy.memory + "/" + name
    }

    private static func make(_ directory: String) throws(SystemError) {
        guard unsafe mkdir(directory, 0o755) == 0 else {
            throw SystemError("mkdir", errno: errno, path: directory)
        }
    }

    /// Writes its limits, and makes the second group where the number of processes is one.
    mutating func limit(memory memoryLimit: UInt64, processes processLimit: UInt64?) throws(SystemError) {
        try limit(memory: memoryLimit)
        guard let processLimit, let directory = processesDirectory else { return }
        if directory != memory { try Self.make(directory) }
        processes = directory
        if unsafe access(directory + "/pids.max", F_OK) == 0 {
            try TextFile.write("\(processLimit)", to: directory + "/pids.max")
        }
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

    private func limit(memory bytes: UInt64) throws(SystemError) {
        try TextFile.write("\(bytes)", to: memory + "/" + hierarchy.limitFile)
        switch hierarchy.version {
        case .two:
            try writeIfThere("0", to: "memory.swap.max")
            try writeIfThere("1", to: "memory.oom.group")
        case .one:
            // Memory and swap together no more than memory alone: nothing is swapped out to gain room.
            try writeIfThere("\(bytes)", to: "memory.memsw.limit_in_bytes")
        }
    }

    private func writeIfThere(_ text: String, to name: String) throws(SystemError) {
        let path = memory + "/" + name
        guard unsafe access(path, F_OK) == 0 else { return }
        try TextFile.write(text, to: path)
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

    /// Whether nobody else has removed it.
    var isThere: Bool { directories.allSatisfy { unsafe access($0, F_OK) == 0 } }

    /// Whether anybody is in one of them.
    var hasMembers: Bool {
        directories.contains { !(TextFile.read($0 + "/cgroup.procs") ?? "").isEmpty }
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
