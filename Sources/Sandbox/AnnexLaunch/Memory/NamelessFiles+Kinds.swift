internal import AnnexLinux
internal import CAnnexLinux

/// All members of a sandbox see the same mounts, so the first member that may be examined serves for all. An ordinary
/// user may not examine a reaper, which has never executed anything.
extension NamelessFiles {
    /// The nameless files of these processes that may lie in memory.
    static func memory(of members: [Int32]) throws(SystemError) -> NamelessFiles {
        var files = NamelessFiles.memory(mountedBy: members)
        for process in members { try files.add(openIn: process) }
        return files
    }

    /// An empty collection that accepts only files that may lie in memory; files on a disk use none. btrfs and overlay
    /// show no device of their own, so the members' mounts decide.
    static func memory(mountedBy members: [Int32]) -> NamelessFiles {
        var mounts: MountTypes?
        return NamelessFiles { file in
            guard file.is_on_device == 0 else { return false }
            let known = mounts ?? MountTypes(of: members)
            mounts = known
            return known.mayBeMemory(file.mount)
        }
    }

    /// Files on the mount of this path, as the members see it, that were removed but are still open.
    static func removed(at path: String, of members: [Int32]) throws(SystemError) -> NamelessFiles {
        let mounts = members.lazy.map { mount(of: "/proc/\($0)/root\(path)") }
        guard let mount = mounts.first(where: { $0 != 0 }) else { return NamelessFiles() }
        var files = NamelessFiles { $0.mount == mount }
        for process in members { try files.add(openIn: process) }
        return files
    }

    /// The number of the mount at a path; 0 if it cannot be read.
    private static func mount(of path: String) -> UInt64 {
        var place = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        return unsafe annex_known_status(path, &place) == 0 ? place.mount : 0
    }
}
