package import AnnexLinux

/// A file or directory of a bundle that stays open from the check to the launch.
///
/// The launch uses the open file, so it runs what was checked even if the path names another file by then.
public struct BundleFile: ~Copyable, Sendable {
    /// The file, open for reading.
    package let descriptor: Descriptor
    /// The file's status when it was checked.
    package let status: FileStatus
    /// The path at which it was found. It serves messages, and a bind mount that then compares device and inode.
    public let path: String

    /// Whether the file is still the one that was checked, and still has a name. Its contents or rights may have
    /// changed although the same file is open.
    package func isUnchanged() throws(SystemError) -> Bool {
        let now = try descriptor.status()
        return now.isUnchanged(since: status) && now.links > 0
    }
}

extension FileStatus {
    /// Whether both describe the same file with the same contents and rights. `ctime` alone would almost do: a program
    /// can set back `mtime`, but not `ctime`.
    func isUnchanged(since last: FileStatus) -> Bool {
        device == last.device && inode == last.inode && changed == last.changed && size == last.size
            && modified == last.modified && mode == last.mode && user == last.user
    }
}
