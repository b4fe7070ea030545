package import AnnexLinux

/// A file or directory of a bundle, held open since it was checked: what is launched is what was checked,
/// whatever its name points to by then.
public struct BundleFile: ~Copyable, Sendable {
    /// Opened for reading.
    package let descriptor: Descriptor
    /// Device and inode when it was checked.
    package let device: UInt64
    package let inode: UInt64
    /// Where it was found: for messages, and for a bind that compares device and inode.
    public let path: String
}
