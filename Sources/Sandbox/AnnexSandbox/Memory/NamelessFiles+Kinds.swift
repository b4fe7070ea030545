internal import AnnexLinux
internal import CAnnexLinux

/// Members of a sandbox see the same mounts. The first that may be asked speaks for all: an ordinary user may not ask a
/// reaper, which has never executed anything.
extension NamelessFiles {
    /// Those that may be memory.
    static func memory(of members: [Int32]) throws(SystemError) -> NamelessFiles {
        var files = NamelessFiles.memory(mountedBy: members)
        for process in members { try files.add(openIn: process) }
        return files
    }

    /// To take those that may be memory: what lies on a disk takes none. A file system without a device of its own, as
    /// btrfs and overlay are, is told by the members' mounts.
    static func memory(mountedBy members: [Int32]) -> NamelessFiles {
        var mounts: MountTypes?
        return NamelessFiles { file in
            guard file.is_on_device == 0 else { return false }
            let known = mounts ?? MountTypes(of: members)
            mounts = known
            return known.mayBeMemory(file.mount)
        }
    }

    /// Those that were made and removed where a path leads to that the members see.
    static func removed(at path: String, of members: [Int32]) throws(SystemError) -> NamelessFiles {
        let mounts = members.lazy.map { mount(of: "/proc/\($0)/root\(path)") }
        guard let mount = mounts.first(where: { $0 != 0 }) else { return NamelessFiles() }
        var files = NamelessFiles { $0.mount == mount }
        for process in members { try files.add(openIn: process) }
        return files
    }

    /// 0 where it cannot be told.
    private static func mount(of path: String) -> UInt64 {
        var place = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        return unsafe annex_known_status(path, &place) == 0 ? place.mount : 0
    }
}
