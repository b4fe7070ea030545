internal import AnnexLinux
internal import Glibc

extension WholeFileLock {
    private static let readOnly: UInt = 1  // ST_RDONLY

    /// Whether a process may write what it has open: a file or directory that was opened to be written, or that lies on a
    /// mount of its own that may be. What others opened to be read and handed over lies on a mount of theirs.
    static func isWritable(_ file: borrowing Descriptor, by process: UInt32) -> Bool {
        guard let kind = try? file.status().kind, kind == .regular || kind == .directory else { return false }
        var mount = statvfs()
        // SAFETY: the call fills the struct and keeps nothing.
        guard unsafe fstatvfs(file.number, &mount) == 0, mount.f_flag & readOnly == 0 else { return false }
        return fcntl(file.number, F_GETFL) & O_ACCMODE != O_RDONLY || isMounted(file, for: process)
    }

    /// Whether the mount that a file was opened through is one of that process's, and none of this one's: a sandbox without
    /// mounts of its own has ours, and through those others opened what they handed over.
    private static func isMounted(_ file: borrowing Descriptor, for process: UInt32) -> Bool {
        let own = (TextFile.read("/proc/self/fdinfo/\(file.number)") ?? "").split(separator: "\n")
        guard let mount = own.first(where: { $0.hasPrefix("mnt_id:\t") })?.dropFirst(8) else { return false }
        return lists("\(process)", mount) == true && lists("self", mount) == false
    }

    /// Nil where the list of mounts cannot be read.
    private static func lists(_ process: String, _ mount: Substring) -> Bool? {
        TextFile.read("/proc/\(process)/mountinfo")?.split(separator: "\n").contains { $0.hasPrefix("\(mount) ") }
    }
}
