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
        return now.size == status.size && now.modified == status.modified && now.mode == status.mode
            && now.user == status.user && now.links > 0
    }
}
