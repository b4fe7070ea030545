internal import Synchronization

/// The events of the live Today view. Until the view handles a change of the cards, further changes are merged into the
/// same event. So no widget can fill the queue. Events of the terminal, such as keys, come before changes.
final class TodayEvents: Sendable {
    enum Event: Sendable {
        case terminal(ScreenTerminal.Event)
        /// A card has changed.
        case changed
    }

    private struct State {
        var terminal: [ScreenTerminal.Event] = []
        var hasChanged = false
    }

    private let state = Mutex(State())
    /// Delivers a value after events were added. Only one reader may read this stream.
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func add(_ event: ScreenTerminal.Event) {
        state.withLock { $0.terminal.append(event) }
        arrival.yield()
    }

    func addChange() {
        state.withLock { $0.hasChanged = true }
        arrival.yield()
    }

    /// The next event; nil if there is none.
    func next() -> Event? {
        state.withLock { state in
            guard state.terminal.isEmpty else { return .terminal(state.terminal.removeFirst()) }
            defer { state.hasChanged = false }
            return state.hasChanged ? .changed : nil
        }
    }
}
