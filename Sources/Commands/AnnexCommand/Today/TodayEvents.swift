internal import Synchronization

/// What the live Today view has to react to. Changes of the cards become one until it reacts, so no widget can fill the queue. The user's
/// keys come before them.
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
    /// A value after events were added. For one reader.
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

    /// The next event; nil if none waits.
    func next() -> Event? {
        state.withLock { state in
            guard state.terminal.isEmpty else { return .terminal(state.terminal.removeFirst()) }
            defer { state.hasChanged = false }
            return state.hasChanged ? .changed : nil
        }
    }
}
