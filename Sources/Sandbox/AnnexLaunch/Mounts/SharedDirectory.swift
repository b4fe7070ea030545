package import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

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

/// User namespaces that are kept for id maps. Making a namespace takes a tenth of a millisecond, and launches often get
/// the same users.
final class OwnerMaps: Sendable {
    private struct Key: Hashable {
        let owner: UInt32
        let user: UInt32
    }

    private struct State: ~Copyable {
        var keys: [Key] = []
        var maps = DescriptorList()
    }

    /// The most namespaces that are kept.
    private static let most = 64

    private let state = Mutex(State())

    /// A namespace in which the owner of files stands for the user of a process.
    func map(from owner: UInt32, to user: UInt32) throws(SystemError) -> Descriptor {
        let key = Key(owner: owner, user: user)
        return try state.withLock { (state) throws(SystemError) in
            if let place = state.keys.firstIndex(of: key) { return try state.maps.duplicate(at: place) }
            let made = Descriptor(
                owning: try SystemError.check("user namespace", annex_user_namespace(owner, user)))
            if state.keys.count == Self.most {
                state.keys.removeFirst()
                _ = state.maps.takeFirst()
            }
            let copy = try made.duplicate()
            state.keys.append(key)
            state.maps.append(made)
            return copy
        }
    }
}
