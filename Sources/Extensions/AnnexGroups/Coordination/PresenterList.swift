internal import AnnexMessages
internal import AnnexPortal
internal import Synchronization

/// The presenters of this process in one group. It reads the group's news and tells each presenter what concerns it.
final class PresenterList: Sendable {
    private struct Entry {
        let queue: PresenterQueue
        /// Where the item lies now.
        var item: ItemPath
    }

    private struct State {
        var entries: [UInt32: Entry] = [:]
        /// Up to where the news are read; nil while there are no presenters.
        var place: NewsPlace?
    }

    private let group: JoinedGroup
    private let reading = CatchUp()
    private let state = Mutex(State())
    private let numbers = Mutex<[ObjectIdentifier: UInt32]>([:])

    init(of group: JoinedGroup) {
        self.group = group
    }

    /// A presenter's number in this process, also before it is added.
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
        if state.withLock({ $0.place == nil }) { try join() }
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
            if isLast { state.place = nil }
            return (entry?.queue, isLast)
        }
        queue?.remove()
        if isLast { try? group.portal.tell(CoordinationMethod.stopPresenting, group: group.identifier) }
    }

    private func join() throws(PortalError) {
        let portal = group.portal
        portal.handle(.coordination) { [weak portal] group, _ in
            guard let portal else { return }
            for coordination in GroupCoordination.all(behind: portal) where coordination.group.identifier == group {
                coordination.presenters.readNews()
            }
        }
        let place = try portal.call(CoordinationMethod.present, group: group.identifier).decoded(as: NewsPlace.self)
        state.withLock { $0.place = $0.place ?? place }
    }

    // MARK: News

    private func readNews() { reading.ask { [self] in await readOnce() } }

    private func readOnce() async {
        guard let place = state.withLock({ $0.place }), let body = try? PortalRequest.body(place) else { return }
        let news: ItemNews
        do throws(PortalError) {
            let answer = try await group.portal.callLater(
                CoordinationMethod.news, group: group.identifier, body: body)
            news = try answer.decoded(within: ItemNews.limits)
        } catch {
            // The journal cannot be read, so any item may have changed.
            if error.code != .gone { state.withLock { Self.tellAll($0.entries) } }
            return
        }
        state.withLock { state in
            guard state.place == place else { return }
            state.place = news.place
            if news.isIncomplete { Self.tellAll(state.entries) }
            for change in news.changes { tell(change, to: &state.entries) }
        }
    }

    private static func tellAll(_ entries: [UInt32: Entry]) {
        for entry in entries.values { entry.queue.add(.changed) }
    }

    /// Another member may have sent anything.
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
        // Another item has taken the place of this one.
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
