internal import Glibc

extension ControlGroup {
    /// Removes the groups of brokers that are gone: what a SIGKILL of everything left behind.
    ///
    /// - Returns: the directories that were removed.
    package static func sweep(_ hierarchy: ControlGroupHierarchy) -> [String] {
        var removed: [String] = []
        // A broker has as many groups as extensions: it is looked for once.
        var owned: [OwnedName.Owner: Bool] = [:]
        for parent in Set([hierarchy.memory] + (hierarchy.processes.map { [$0] } ?? [])) {
            for name in names(in: parent) {
                let isOwned = owned[name.whose] ?? name.isOwned
                owned[name.whose] = isOwned
                if isOwned { continue }
                let directory = parent + "/" + name.text
                end(membersOf: directory)
                remove(directory)
                if unsafe access(directory, F_OK) != 0 { removed.append(directory) }
            }
        }
        return removed
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

    /// Members of a dead broker's group have lost their warden; nobody else will end them.
    private static func end(membersOf directory: String) {
        for line in (TextFile.read(directory + "/cgroup.procs") ?? "").split(separator: "\n") {
            if let process = pid_t(line), process > 1 { kill(process, SIGKILL) }
        }
    }
}
