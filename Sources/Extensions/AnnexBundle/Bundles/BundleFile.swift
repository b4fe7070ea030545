package import AnnexLinux

/// A file or directory of a bundle, held open since it was checked: what is launched is what was checked,
/// whatever its name points to by then.
public struct BundleFile: ~Copyable, Sendable {
    /// Opened for reading.
    package let descriptor: Descriptor
    /// What it was when it was checked.
    package let status: FileStatus
    /// Where it was found: for messages, and for a bind that compares device and inode.
    public let path: String

    /// Whether it is still what was checked: the same object can be written over, or be given other rights.
    package func isUnchanged() throws(SystemError) -> Bool {
        let now = try descriptor.status()
        return now.isUnchanged(since: status) && now.links > 0
    }
}

extension FileStatus {
    /// Whether the file is the same one with the same contents and rights. The time of the last change alone says most of
    /// it: a program can set back the time of modification, but not this one.
    func isUnchanged(since last: FileStatus) -> Bool {
        device == last.device && inode == last.inode && changed == last.changed && size == last.size
            && modified == last.modified && mode == last.mode && user == last.user
    }
}
