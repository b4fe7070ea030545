internal import AnnexLinux
internal import AnnexMessages
internal import AnnexPortal
internal import Synchronization

/// Tells the members of a group, which are extensions and apps, when a member reports that it has changed a file. The
/// desk runs in the row of the group.
///
/// News are messages about such changes. They go through a journal in the group's store, so that the members of all
/// brokers receive the news in the same order.
final class NewsDesk: Sendable {
    private struct Presenting {
        weak var connection: PortalConnection?
        /// The number of the journal's row with the last news that were sent to this member.
        var row: Int64
        var lost: UInt32
    }

    private struct State {
        var members: [ObjectIdentifier: Presenting] = [:]
        /// The page of news that `notice` read most recently. `start` is the journal's row before the first of these
        /// news.
        var lastPage: (start: Int64, page: NewsPage)?
        var lastRow: Int64 = 0
        var lastLost: UInt32 = 0
    }

    /// The most changes in one message.
    private static let mostChanges = 16

    private let group: OpenGroup
    private let flag: SharedFlag
    /// A random text that no other desk uses, in this process or in another. By this text, a desk recognises the
    /// changes of its own members.
    private let token = String(UInt64.random(in: .min ... .max), radix: 16)
    private let state = Mutex(State())

    init(of group: OpenGroup) throws(SystemError) {
        self.group = group
        flag = try group.newFlag(at: GroupWords.presenters)
    }

    func join(_ connection: PortalConnection) throws(PortalError) {
        // SYNC: the flag is raised before this member reads its item. A member that writes the item checks the flag
        // while it still holds the lock for writing. If the check finds the flag not raised, the check came before
        // this member's coordinated read. So this read waits until that lock is released, and then finds the changes.
        flag.raise()
        let row = try group.withStore { (store) throws(StoreError) in try store.lastNews() }
        let lost = group.word(GroupWords.lostNews)
        state.withLock { state in
            if state.members.isEmpty { (state.lastRow, state.lastLost) = (row, lost) }
            state.members[ObjectIdentifier(connection)] = Presenting(connection: connection, row: row, lost: lost)
        }
    }

    func leave(_ connection: PortalConnection) {
        let isLast = state.withLock { state in
            state.members.removeValue(forKey: ObjectIdentifier(connection)) != nil && state.members.isEmpty
        }
        if isLast { flag.lower() }
    }

    /// Writes a member's changes into the journal.
    func tell(_ changes: ItemChanges, by connection: PortalConnection) throws(PortalError) {
        guard !changes.changes.isEmpty, changes.changes.count <= Self.mostChanges else {
            throw PortalError(.invalid, what: "the request names no change, or more than \(Self.mostChanges)")
        }
        let origin = origin(of: connection)
        let news = changes.changes.map {
            StoredNews(kind: $0.kind, path: $0.path, other: $0.target, origin: origin, number: $0.presenter)
        }
        do throws(PortalError) {
            _ = try group.withStore { (store) throws(StoreError) in try store.append(news) }
        } catch {
            // The journal could not take the changes. The count of lost news tells all members that any item may have
            // changed.
            group.changeWord(GroupWords.lostNews)
        }
        notice()
        group.announceChange()
        if state.withLock({ $0.members.isEmpty }) { flag.lowerIfForgotten() }
    }

    /// Announces the latest news to the members that this process serves, unless these members have already been
    /// told.
    func notice() {
        guard let start = state.withLock({ $0.members.isEmpty ? nil : $0.lastRow }) else { return }
        let page = try? stored(after: start)
        let lost = group.word(GroupWords.lostNews)
        let members = state.withLock { state -> [PortalConnection] in
            // If the journal cannot be read, `row` does not grow. In this case only the count of lost news can show
            // that there are news.
            let row = page?.last ?? start
            guard (start, state.lastLost) != (row, lost) else { return [] }
            (state.lastRow, state.lastLost, state.lastPage) = (row, lost, page.map { (start, $0) })
            return state.members.values.compactMap(\.connection)
        }
        for member in members { notice(member) }
    }

    private func notice(_ member: PortalConnection) {
        member.paceNews(.coordination, of: group) { [weak self] connection in self?.deliver(to: connection) ?? true }
    }

    /// Sends a member all news that it has not been sent yet.
    /// - Returns: false if the member's socket had no room.
    private func deliver(to connection: PortalConnection) -> Bool {
        guard let told = state.withLock({ $0.members[ObjectIdentifier(connection)] }) else { return true }
        let (lost, own) = (group.word(GroupWords.lostNews), origin(of: connection))
        let page = known(after: told.row) ?? (try? stored(after: told.row))
        let changes = (page?.news ?? []).map { one in
            ItemChange(
                kind: one.kind, path: one.path, target: one.other, presenter: one.origin == own ? one.number : 0)
        }
        let news = ItemNews(changes: changes, isIncomplete: page?.isIncomplete ?? true || lost != told.lost)
        // If the news do not fit into one message, the member is told that any item may have changed.
        let body = (try? news.encoded(within: ItemNews.limits)) ?? Self.anything
        guard connection.sendNews(.coordination, of: group, body: body) else { return false }
        state.withLock { state in
            state.members[ObjectIdentifier(connection)]?.row = page?.last ?? told.row
            state.members[ObjectIdentifier(connection)]?.lost = lost
        }
        return true
    }

    private func stored(after row: Int64) throws(PortalError) -> NewsPage {
        try group.withStore { (store) throws(StoreError) in try store.news(after: row) }
    }

    /// The news that `notice` has just read, if they begin after this row.
    private func known(after row: Int64) -> NewsPage? {
        state.withLock { state in
            state.lastPage.flatMap { $0.start == row && $0.page.last == state.lastRow ? $0.page : nil }
        }
    }

    /// The encoding of an `ItemNews` that lists no changes and is marked as incomplete.
    private static let anything = (try? ItemNews(changes: [], isIncomplete: true).encoded()) ?? []

    private func origin(of connection: PortalConnection) -> String { "\(token)/\(connection.number)" }
}
