internal import AnnexLinux
internal import Synchronization

/// What comes of something that another thread tells about, for who waits for it, with a bound.
final class Outcome<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var isOver = false
    }

    private let state = Mutex(State())
    private let parker = Parker()

    /// The first that is noted stays.
    func note(_ value: Value) {
        state.withLock { $0.value = $0.value ?? value }
    }

    /// The last word.
    func finish() {
        state.withLock { $0.isOver = true }
        parker.unpark()
    }

    /// - Returns: nil where the last word did not come in time or nothing was noted before it.
    func wait(atMost patience: Duration) -> Value? {
        let deadline = MonotonicClock.deadline(after: patience)
        while !state.withLock({ $0.isOver }), MonotonicClock.remaining(until: deadline) > 0 {
            parker.park(until: deadline)
        }
        return state.withLock { $0.isOver ? $0.value : nil }
    }
}
