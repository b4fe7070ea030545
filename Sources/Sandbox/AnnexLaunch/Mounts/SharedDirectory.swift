package import AnnexLinux

/// A directory on the host that the process shares with other programs. The process can read and write the files in it.
package final class SharedDirectory: Sendable {
    let descriptor: Descriptor
    /// The absolute path inside the sandbox.
    let path: String
    /// The user that owns the files on disk, if launches run as other users.
    let owner: UInt32

    package init(_ descriptor: consuming Descriptor, at path: String, owner: UInt32) {
        self.descriptor = descriptor
        self.path = path
        self.owner = owner
    }
}
