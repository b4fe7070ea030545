internal import AnnexLinux
internal import Synchronization

/// A value that another thread provides, for a thread that waits for it with a time limit.
package final class Outcome<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var isOver = false
    }

    private let state = Mutex(State())
    private let parker = Parker()

    package init() {}

    /// Sets the value. The first value stays.
    package func note(_ value: Value) {
        state.withLock { $0.value = $0.value ?? value }
    }

    /// Ends the wait: no value follows.
    package func finish() {
        state.withLock { $0.isOver = true }
        parker.unpark()
    }

    /// - Returns: nil if `finish` was not called in time, or if there was no value before it.
    package func wait(atMost patience: Duration) -> Value? {
        let deadline = MonotonicClock.deadline(after: patience)
        while !state.withLock({ $0.isOver }), MonotonicClock.remaining(until: deadline) > 0 {
            parker.park(until: deadline)
        }
        return state.withLock { $0.isOver ? $0.value : nil }
    }
}
