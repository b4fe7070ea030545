internal import AnnexLinux
internal import Glibc

extension WholeFileLock {
    private static let readOnly: UInt = 1  // ST_RDONLY

    /// Whether a process may write a file that it has open. The file or directory must be opened for writing, or lie on
    /// a writable mount of the process's own. A file opened for reading by another process and passed on lies on that
    /// process's mount.
    static func isWritable(_ file: borrowing Descriptor, by process: UInt32) -> Bool {
        guard let kind = try? file.status().kind, kind == .regular || kind == .directory else { return false }
        var mount = statvfs()
        // SAFETY: the call fills the struct and keeps nothing.
        guard unsafe fstatvfs(file.number, &mount) == 0, mount.f_flag & readOnly == 0 else { return false }
        return fcntl(file.number, F_GETFL) & O_ACCMODE != O_RDONLY || isMounted(file, for: process)
    }

    /// Whether a file was opened through a mount of that process and not through one of this process. A sandbox without
    /// mounts of its own has ours, and through those a descriptor may have been opened by another process.
    private static func isMounted(_ file: borrowing Descriptor, for process: UInt32) -> Bool {
        let own = (TextFile.read("/proc/self/fdinfo/\(file.number)") ?? "").split(separator: "\n")
        guard let mount = own.first(where: { $0.hasPrefix("mnt_id:\t") })?.dropFirst(8) else { return false }
        return lists("\(process)", mount) == true && lists("self", mount) == false
    }

    /// Whether a process's list of mounts contains this one; nil if the list cannot be read.
    private static func lists(_ process: String, _ mount: Substring) -> Bool? {
        TextFile.read("/proc/\(process)/mountinfo")?.split(separator: "\n").contains { $0.hasPrefix("\(mount) ") }
    }
}
