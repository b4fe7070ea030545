/// What fstat(2) knows about an open descriptor.
package struct FileStatus: Sendable, Hashable {
    /// What kind of object the descriptor is of.
    package enum Kind: Sendable, Hashable {
        case regular, directory, symbolicLink, socket, pipe, characterDevice, blockDevice
        /// The kernel's objects without a file type, such as an epoll queue or a pidfd.
        case anonymous
    }

    package let kind: Kind
    /// Bytes.
    package let size: Int64
    /// Units of 512 bytes that are really there; a file with holes has fewer than its size.
    package let blocks: Int64
    package let device: UInt64
    package let inode: UInt64
    /// Permission bits with set-user-ID, set-group-ID and sticky bit.
    package let mode: UInt32
    package let user: UInt32
    package let group: UInt32
    package let links: UInt64
    /// When the contents last changed, in nanoseconds after 1970.
    package let modified: Int64
    /// When contents, mode, owner or links last changed, in nanoseconds after 1970. No program can set it back.
    package let changed: Int64
}
