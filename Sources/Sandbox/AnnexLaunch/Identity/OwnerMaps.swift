internal import AnnexLinux
internal import CAnnexLinux
internal import Synchronization

/// User namespaces that are kept for id maps. Making a namespace takes a tenth of a millisecond, and launches often get
/// the same users.
final class OwnerMaps: Sendable {
    /// What a map does with the owners of files.
    enum Kind: Hashable {
        /// The files of one user and group belong to another user and group. All other files stay out of reach.
        case single(owner: UInt32, user: UInt32)
        /// The files of one user belong to another user, and the reverse. All other owners, and all groups, stay as they
        /// are.
        case exchange(owner: UInt32, user: UInt32)
    }

    private struct State: ~Copyable {
        var kinds: [Kind] = []
        var maps = DescriptorList()
    }

    /// The most namespaces that are kept.
    private static let most = 64

    private let state = Mutex(State())

    /// A user namespace with the map.
    func map(_ kind: Kind) throws(SystemError) -> Descriptor {
        try state.withLock { (state) throws(SystemError) in
            if let place = state.kinds.firstIndex(of: kind) { return try state.maps.duplicate(at: place) }
            let (users, groups) = try Self.lines(of: kind)
            // SAFETY: the call reads the two texts and keeps neither.
            let number = unsafe annex_user_namespace(users, groups)
            let made = Descriptor(owning: try SystemError.check("user namespace", number))
            if state.kinds.count == Self.most {
                state.kinds.removeFirst()
                _ = state.maps.takeFirst()
            }
            let copy = try made.duplicate()
            state.kinds.append(kind)
            state.maps.append(made)
            return copy
        }
    }

    private static func lines(of kind: Kind) throws(SystemError) -> (users: String, groups: String) {
        switch kind {
        case .single(let owner, let user):
            let line = "\(owner) \(user) 1\n"
            return (line, line)
        case .exchange(let owner, let user):
            let (users, groups) = (try IdentityMap.ofUsers(), try IdentityMap.ofGroups())
            return (users.lines(exchanging: owner, with: user), groups.lines)
        }
    }
}
