internal import AnnexLinux
internal import AnnexPortal
internal import Synchronization

/// The members of a group that this process serves and that wait for locks. Members are extensions and apps. Runs in
/// the row of the group.
///
/// A member that begins to wait first asks the broker for the count of releases, the number of times that a lock was
/// released. Then the member tries its lock once more. If the attempt fails, the member asks the broker to answer
/// when the count has changed. So the member misses no release.
final class WaitingMembers: Sendable {
    private struct State {
        /// The number of open waits of each member.
        var members: [ObjectIdentifier: Int] = [:]
        var calls: [UInt64: PortalCall] = [:]
        var lastCall: UInt64 = 0
        /// The count of releases that was last sent to the waiting members.
        var count: UInt32 = 0
    }

    /// After this time, a member tries its lock again even if no release was announced. The holder may have been
    /// killed together with its broker. Then no broker announces the release.
    private static let longest = Duration.milliseconds(100)

    private let group: OpenGroup
    private let loop: EventLoop
    private let flag: SharedFlag
    private let state = Mutex(State())

    init(of group: OpenGroup, on loop: EventLoop) throws(SystemError) {
        self.group = group
        self.loop = loop
        flag = try group.newFlag(at: GroupWords.waiters)
    }

    /// - Parameter count: the count of releases that the member knows; nil if the member begins to wait.
    func wait(_ call: PortalCall, for count: UInt32?) {
        guard let count else { return begin(call) }
        guard count == group.word(GroupWords.releases) else { return answer(call) }
        let number = state.withLock { state in
            state.lastCall += 1
            state.calls[state.lastCall] = call
            return state.lastCall
        }
        loop.schedule(after: Self.longest) { [weak self, row = group.row] in
            row.run { [weak self] in self?.answer(number) }
        }
    }

    private func begin(_ call: PortalCall) {
        state.withLock { $0.members[ObjectIdentifier(call.connection), default: 0] += 1 }
        // SYNC: the flag is raised before the answer, and the member tries its lock again after the answer. A holder
        // reads the flag after it has released the lock. So if the member's attempt fails, the holder will see the
        // flag and announce the release.
        flag.raise()
        answer(call)
    }

    /// Ends one wait of a member, or all its waits if the member has ended.
    func leave(_ connection: PortalConnection) {
        let isLast = state.withLock { state in
            let key = ObjectIdentifier(connection)
            guard let count = state.members[key] else { return false }
            state.members[key] = connection.isOver || count == 1 ? nil : count - 1
            return state.members.isEmpty
        }
        if isLast { flag.lower() }
    }

    /// Announces that a member has released a lock, if any member waits.
    func announceRelease() {
        guard group.word(GroupWords.waiters) != 0 else { return }
        group.changeWord(GroupWords.releases)
        noticeReleases()
        group.announceChange()
        if state.withLock({ $0.members.isEmpty }) { flag.lowerIfForgotten() }
    }

    /// Answers the waiting members if the count of releases has changed.
    func noticeReleases() {
        let count = group.word(GroupWords.releases)
        let calls = state.withLock { state -> [PortalCall] in
            guard state.count != count else { return [] }
            state.count = count
            defer { state.calls = [:] }
            return Array(state.calls.values)
        }
        for call in calls { answer(call) }
    }

    private func answer(_ number: UInt64) {
        if let call = state.withLock({ $0.calls.removeValue(forKey: number) }) { answer(call) }
    }

    private func answer(_ call: PortalCall) {
        call.answer { () throws(PortalError) in
            try ReleaseCount(count: group.word(GroupWords.releases)).answerBody()
        }
    }
}
