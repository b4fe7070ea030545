package import AnnexLinux
internal import AnnexMessages
package import AnnexPortal
internal import Synchronization

/// The service for coordinated access to the files of groups.
///
/// The members of a group are its extensions and apps. Each group has a file of locks, and members lock ranges of
/// this file by themselves. So a member needs no broker for an access if no other member holds or wants the lock.
/// This service lets a member wait for a lock, and names the members that hold the lock. It also passes on the changes that
/// members report.
package final class CoordinationService: PortalService {
    private let loop: EventLoop
    private let desks = Mutex<[ObjectIdentifier: CoordinationDesk]>([:])

    package init(loop: EventLoop) {
        self.loop = loop
    }

    package var name: PortalServiceName { .coordination }

    package func handle(_ call: PortalCall) {
        do throws(PortalError) {
            let desk = try desk(of: call.joinedGroup())
            desk.note(call.connection)
            switch call.method {
            case CoordinationMethod.wait: desk.waiting.wait(call, for: try call.decoded(as: ReleaseCount.self).count)
            case CoordinationMethod.stopWaiting: desk.stopWaiting(call.connection)
            case CoordinationMethod.released:
                desk.waiting.announceRelease()
                call.answer()
            case CoordinationMethod.holders: call.answer(try desk.holders(call.decoded(), asking: call).answerBody())
            case CoordinationMethod.changed:
                try desk.news.tell(call.decoded(), by: call.connection)
                call.answer()
            case CoordinationMethod.present:
                try desk.news.join(call.connection)
                call.answer()
            case CoordinationMethod.stopPresenting: desk.news.leave(call.connection)
            default: throw .unknownMethod
            }
        } catch {
            call.fail(error)
        }
    }

    package func forget(_ connection: PortalConnection) {
        for group in connection.member.groups.values {
            group.row.run { [self] in forget(connection, in: group) }
        }
    }

    private func forget(_ connection: PortalConnection, in group: OpenGroup) {
        let key = ObjectIdentifier(group)
        // If the member was killed, it may have held locks for which other processes wait. These processes must learn
        // of the release. So a desk is made here, even if no member has used the group's desk in this process before.
        let isNeeded = desks.withLock { $0[key] != nil } || group.word(GroupWords.waiters) != 0
        guard isNeeded, let desk = try? desk(of: group) else { return }
        desk.waiting.announceRelease()
        // The desk keeps the group open. So the desk is removed when the last member that used this desk has ended.
        if desk.isLast(connection) { desks.withLock { $0[key] = nil } }
    }

    /// The desk of a group, which is made at its first use. Runs in the row of the group.
    private func desk(of group: OpenGroup) throws(PortalError) -> CoordinationDesk {
        let key = ObjectIdentifier(group)
        if let known = desks.withLock({ $0[key] }) { return known }
        do throws(SystemError) {
            let made = try CoordinationDesk(group, on: loop)
            desks.withLock { $0[key] = made }
            return made
        } catch {
            throw PortalError(.system, what: "files cannot be coordinated: \(error.cause)", remedy: error.remedy)
        }
    }
}

/// The coordination of the members that this process serves in one group. The desk knows which members wait, and
/// which members get news. It runs in the row of the group.
final class CoordinationDesk: Sendable {
    let group: OpenGroup
    let waiting: WaitingMembers
    let news: NewsDesk
    private let finder: LockHolders
    private let members = Mutex<Set<ObjectIdentifier>>([])

    init(_ group: OpenGroup, on loop: EventLoop) throws(SystemError) {
        self.group = group
        waiting = try WaitingMembers(of: group, on: loop)
        news = try NewsDesk(of: group)
        finder = LockHolders(of: group)
        group.follow(.coordination) { [weak waiting, weak news] in
            waiting?.noticeReleases()
            news?.notice()
        }
    }

    func holders(_ question: LockQuestion, asking call: PortalCall) throws(PortalError) -> NameList {
        let (end, isTooLarge) = question.start.addingReportingOverflow(question.length)
        guard !isTooLarge, end <= UInt64(Int64.max), question.length > 0 else {
            throw PortalError(.invalid, what: "the request names no range")
        }
        let range = FileRange(start: question.start, length: question.length)
        return NameList(names: finder.holders(of: range, besides: call.member.locks[group.identifier]))
    }

    /// Handles the message of a member that stops waiting. The member may have unlocked a gate, for which other
    /// members may wait. So a release is announced. A gate is a range that waiting members lock before the range that
    /// they want.
    func stopWaiting(_ connection: PortalConnection) {
        waiting.leave(connection)
        waiting.announceRelease()
    }

    /// Remembers a member that has used the desk.
    func note(_ connection: PortalConnection) {
        members.withLock { _ = $0.insert(ObjectIdentifier(connection)) }
    }

    /// Forgets a member that has ended.
    /// - Returns: whether no other member uses the desk.
    func isLast(_ connection: PortalConnection) -> Bool {
        waiting.leave(connection)
        news.leave(connection)
        return members.withLock { members in
            members.remove(ObjectIdentifier(connection))
            return members.isEmpty
        }
    }
}
