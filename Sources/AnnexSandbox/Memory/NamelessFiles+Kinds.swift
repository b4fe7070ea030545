internal import CAnnexLinux

extension NamelessFiles {
    /// Those that may be memory.
    static func memory(of members: [Int32]) -> NamelessFiles {
        var files = NamelessFiles.memory(mountedBy: members.first ?? 0)
        for process in members { files.add(openIn: process) }
        return files
    }

    /// To take those that may be memory: what lies on a disk takes none. A file system without a device of its own, as
    /// btrfs and overlay are, is told by a process's mounts.
    static func memory(mountedBy process: Int32) -> NamelessFiles {
        var mounts: MountTypes?
        return NamelessFiles { file in
            guard file.is_on_device == 0 else { return false }
            let known = mounts ?? MountTypes(ofProcess: process)
            mounts = known
            return known.mayBeMemory(file.mount)
        }
    }

    /// Those that were made and removed where a path leads to that the members see.
    static func removed(at path: String, of members: [Int32]) -> NamelessFiles {
        var place = annex_known_file()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard let process = members.first, unsafe annex_known_status("/proc/\(process)/root\(path)", &place) == 0,
            place.mount != 0
        else { return NamelessFiles() }
        let mount = place.mount
        var files = NamelessFiles { $0.mount == mount }
        for process in members { files.add(openIn: process) }
        return files
    }
}
