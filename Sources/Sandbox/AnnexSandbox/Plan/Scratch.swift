/// A file system in memory, bounded by the kernel, that is gone with its process.
package struct Scratch: Sendable, Hashable {
    package var target: String
    /// Bytes.
    package var size: UInt64
    /// Files and directories.
    package var inodes: UInt64
    /// Permission bits of its top directory.
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
