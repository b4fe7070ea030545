internal import AnnexLinux
internal import Glibc

extension ControlGroup {
    /// Removes the groups of brokers that no longer run. They remain when the broker and its warden are killed
    /// together.
    ///
    /// - Returns: the directories that were removed.
    package static func sweep(_ hierarchy: ControlGroupHierarchy) -> [String] {
        var removed: [String] = []
        // A broker may own one group per extension, so each broker's process is looked up only once.
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
        // SAFETY: the stream is closed on the one path out, and an entry is read before the next call.
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

    /// Kills every process in a group. From Linux 5.14, version 2 does this with one write. Otherwise each process is
    /// killed through a handle: its number may be reused before the signal. The second check of the list finds that
    /// case.
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
        (TextFile.read(directory + "/cgroup.procs") ?? "").split(separator: "\n").compactMap { pid_t($0) }
    }
}
