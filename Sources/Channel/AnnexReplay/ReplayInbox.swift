internal import AnnexChannel
internal import AnnexLinux
internal import Synchronization

/// Collects, in order, the events and calls that an extension sends during a replay. One task takes and compares them.
final class ReplayInbox: Sendable {
    enum Arrival: Sendable {
        case event(ChannelEvent)
        case request(method: UInt16, payload: [UInt8], HeldRequest)
        /// The channel has ended, so nothing more arrives.
        case over(String)
        case tooLate
    }

    private struct State {
        var arrivals: [Arrival] = []
        var waiter: CheckedContinuation<Arrival, Never>?
        /// Counts the waits, so that the timer of an earlier wait does not end a later one.
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

    /// Waits for the next arrival, at most for `patience`.
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

    /// The arrivals that were not taken.
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
