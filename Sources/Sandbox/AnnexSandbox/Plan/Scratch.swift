/// A file system in memory with a size limit of the kernel. It is gone when its process is.
package struct Scratch: Sendable, Hashable {
    package var target: String
    /// The limit in bytes.
    package var size: UInt64
    /// The limit of files and directories.
    package var inodes: UInt64
    /// Permission bits of the top directory.
    package var mode: UInt32
    package var isExecutable: Bool

    package init(at target: String, size: UInt64, inodes: UInt64, mode: UInt32 = 0o700, isExecutable: Bool = false) {
        self.target = target
        self.size = size
        self.inodes = inodes
        self.mode = mode
        self.isExecutable = isExecutable
    }
}
