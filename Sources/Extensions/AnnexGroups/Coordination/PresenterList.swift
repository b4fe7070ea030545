internal import AnnexMessages
internal import AnnexPortal
internal import Synchronization

/// The presenters of this process in one group. The list reads the group's news, and tells each presenter of the
/// changes to its item.
final class PresenterList: Sendable {
    private struct Entry {
        let queue: PresenterQueue
        /// The current place of the item.
        var item: ItemPath
    }

    private struct State {
        var entries: [UInt32: Entry] = [:]
        /// Whether the broker sends news of the group to this process.
        var isJoined = false
    }

    private let group: JoinedGroup
    private let state = Mutex(State())
    private let numbers = Mutex<[ObjectIdentifier: UInt32]>([:])

    init(of group: JoinedGroup) {
        self.group = group
    }

    /// A presenter's number in this process. The number exists even before the presenter is added.
    func number(of presenter: any FilePresenter) -> UInt32 {
        numbers.withLock { numbers in
            if let known = numbers[ObjectIdentifier(presenter)] { return known }
            let next = UInt32(numbers.count) + 1
            numbers[ObjectIdentifier(presenter)] = next
            return next
        }
    }

    func add(_ presenter: any FilePresenter) throws(PortalError) {
        let item = try ItemPath(presenter.presentedItemPath, in: group.container)
        let number = number(of: presenter)
        if !state.withLock({ $0.isJoined }) { try join() }
        state.withLock { state in
            if state.entries[number] == nil {
                state.entries[number] = Entry(queue: PresenterQueue(presenter), item: item)
            }
        }
    }

    func remove(_ presenter: any FilePresenter) {
        let number = number(of: presenter)
        let (queue, isLast) = state.withLock { state -> (PresenterQueue?, Bool) in
            let entry = state.entries.removeValue(forKey: number)
            let isLast = entry != nil && state.entries.isEmpty
            if isLast { state.isJoined = false }
            return (entry?.queue, isLast)
        }
        queue?.remove()
        if isLast { try? group.portal.tell(CoordinationMethod.stopPresenting, group: group.identifier) }
    }

    private func join() throws(PortalError) {
        let portal = group.portal
        portal.handle(.coordination) { [weak portal] group, body in
            guard let portal, let news = try? ItemNews(decoding: body, within: ItemNews.limits) else { return }
            for coordination in GroupCoordination.all(behind: portal) where coordination.group.identifier == group {
                coordination.presenters.tell(news)
            }
        }
        _ = try portal.call(CoordinationMethod.present, group: group.identifier)
        state.withLock { $0.isJoined = true }
    }

    // MARK: News

    private func tell(_ news: ItemNews) {
        state.withLock { state in
            if news.isIncomplete { Self.tellAll(state.entries) }
            for change in news.changes { tell(change, to: &state.entries) }
        }
    }

    private static func tellAll(_ entries: [UInt32: Entry]) {
        for entry in entries.values { entry.queue.add(.changed) }
    }

    /// Tells the presenters of a change. The change may come from another member, which may have sent any content. So
    /// the content is checked.
    private func tell(_ change: ItemChange, to entries: inout [UInt32: Entry]) {
        guard let kind = ItemChange.Kind(rawValue: change.kind),
            let item = try? ItemPath(change.path, in: group.container),
            let target = try? ItemPath(change.target, in: group.container)
        else { return }
        for (number, entry) in entries where number != change.presenter {
            if let event = event(kind, of: item, to: target, for: entry.item) { entry.queue.add(event) }
        }
        guard kind == .moved else { return }
        for (number, entry) in entries where item.contains(entry.item) {
            entries[number]?.item = entry.item.moved(from: item, to: target)
        }
    }

    private func event(
        _ kind: ItemChange.Kind, of item: ItemPath, to target: ItemPath, for presented: ItemPath
    ) -> PresenterEvent? {
        let isWhole = item.contains(presented)
        switch kind {
        case .changed where isWhole: return .changed
        case .deleted where isWhole: return .deleted
        case .moved where isWhole: return .moved(to: path(presented.moved(from: item, to: target)))
        // Another item was moved to the place of the presented item.
        case .moved where target.contains(presented): return .changed
        case .changed where presented.contains(item): return .subitemChanged(path(item))
        case .deleted where presented.contains(item): return .subitemDeleted(path(item))
        case .moved where presented.contains(item) || presented.contains(target):
            return .subitemMoved(path(item), to: path(target))
        default: return nil
        }
    }

    private func path(_ item: ItemPath) -> String {
        item.text.isEmpty ? group.container : "\(group.container)/\(item.text)"
    }
}
