internal import Synchronization

/// The queue of one presenter. The presenter is told of one event at a time, in the order of the events.
final class PresenterQueue: Sendable {
    private struct State {
        var events: [PresenterEvent] = []
        var isRemoved = false
    }

    /// The most events that wait. If more events come, all waiting events are replaced by one event: the item has
    /// changed. So a member that causes many events cannot fill the memory of a process with a slow presenter.
    private static let most = 1000

    let presenter: any FilePresenter
    private let worker = CatchUp()
    private let state = Mutex(State())

    init(_ presenter: any FilePresenter) {
        self.presenter = presenter
    }

    func add(_ event: PresenterEvent) {
        state.withLock { state in
            guard !state.isRemoved, state.events.last != event else { return }
            if state.events.count >= Self.most { state.events = [.changed] } else { state.events.append(event) }
        }
        worker.ask { [self] in
            while let event = next() { await event.tell(presenter) }
        }
    }

    private func next() -> PresenterEvent? {
        state.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }

    /// Removes all events. After this call no event begins.
    func remove() {
        state.withLock { state in
            state.isRemoved = true
            state.events = []
        }
    }
}
