internal import AnnexChannel
internal import AnnexLinux
internal import Synchronization

/// What an extension sends of its own accord during a replay, in its order, for the one task that compares.
final class ReplayInbox: Sendable {
    enum Arrival: Sendable {
        case event(ChannelEvent)
        case request(method: UInt16, payload: [UInt8], HeldRequest)
        /// Nothing more comes.
        case over(String)
        case tooLate
    }

    private struct State {
        var arrivals: [Arrival] = []
        var waiter: CheckedContinuation<Arrival, Never>?
        /// Counts waits, so that a timer of an earlier one ends no later one.
        var wait = 0
    }

    private let state = Mutex(State())

    func put(_ arrival: Arrival) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.arrivals.append(arrival)
                return nil as CheckedContinuation<Arrival, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: arrival)
    }

    /// What comes next, within the time.
    func next(within patience: Duration, loop: EventLoop) async -> Arrival {
        await withCheckedContinuation { continuation in
            let (ready, wait) = state.withLock { state in
                state.wait += 1
                guard state.arrivals.isEmpty else { return (state.arrivals.removeFirst() as Arrival?, state.wait) }
                state.waiter = continuation
                return (nil, state.wait)
            }
            if let ready { return continuation.resume(returning: ready) }
            loop.schedule(after: patience) { [weak self] in self?.giveUp(wait) }
        }
    }

    /// What is there already and nobody waited for.
    var left: [Arrival] { state.withLock { $0.arrivals } }

    private func giveUp(_ wait: Int) {
        let waiter = state.withLock { state in
            guard state.wait == wait else { return nil as CheckedContinuation<Arrival, Never>? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .tooLate)
    }
}
