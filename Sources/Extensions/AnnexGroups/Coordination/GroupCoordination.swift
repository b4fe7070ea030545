internal import AnnexPortal
internal import Synchronization

/// What this process needs to coordinate access to the files of one group: its locks and its presenters.
final class GroupCoordination: Sendable {
    let group: JoinedGroup
    let locks: AccessLocks
    let presenters: PresenterList
    private let lastOwner = Mutex<UInt64>(0)

    private init(_ group: JoinedGroup) {
        self.group = group
        locks = AccessLocks(group)
        presenters = PresenterList(of: group)
    }

    /// A number that no other coordinator of this process has.
    func nextOwner() -> UInt64 {
        lastOwner.withLock { last in
            last += 1
            return last
        }
    }

    /// Whether a member waits for a lock.
    var hasWaiting: Bool {
        // SYNC: a member releases its lock before this read. The broker raises the word before a waiting member tries
        // again. So either this read sees the raised word, or the waiting member sees the released lock.
        group.word(GroupWords.waiters) != 0
    }

    // MARK: All groups

    private static let known = Mutex<[ObjectIdentifier: GroupCoordination]>([:])

    static func of(_ group: JoinedGroup) -> GroupCoordination {
        known.withLock { known in
            if let made = known[ObjectIdentifier(group)] { return made }
            let made = GroupCoordination(group)
            known[ObjectIdentifier(group)] = made
            return made
        }
    }

    /// The groups that were joined through a portal.
    static func all(behind portal: PortalClient) -> [GroupCoordination] {
        known.withLock { known in known.values.filter { $0.group.portal === portal } }
    }
}
