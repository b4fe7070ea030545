/// The status of an open descriptor, from fstat(2).
package struct FileStatus: Sendable, Hashable {
    /// The kind of object that the descriptor refers to.
    package enum Kind: Sendable, Hashable {
        case regular, directory, symbolicLink, socket, pipe, characterDevice, blockDevice
        /// An object without a file type, such as an epoll queue or a pidfd.
        case anonymous
    }

    package let kind: Kind
    /// In bytes.
    package let size: Int64
    /// Allocated units of 512 bytes. A file with holes has fewer than its size suggests.
    package let blocks: Int64
    package let device: UInt64
    package let inode: UInt64
    /// The permission bits, with the set-user-ID, set-group-ID and sticky bits.
    package let mode: UInt32
    package let user: UInt32
    package let group: UInt32
    package let links: UInt64
    /// `mtime`: when the contents last changed, in nanoseconds after 1970.
    package let modified: Int64
    /// `ctime`: when contents, mode, owner or links last changed, in nanoseconds after 1970. No program can set it
    /// back.
    package let changed: Int64
}
