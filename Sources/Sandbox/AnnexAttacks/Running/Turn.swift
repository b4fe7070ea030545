internal import Synchronization

/// A lock that lets only one caller at a time proceed. Some trials take resources that the kernel counts per user. They
/// need this lock, because two such trials at the same time would count each other's objects.
final class Turn: Sendable {
    private struct State {
        var isTaken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    static let ofUser = Turn()

    private let state = Mutex(State())

    /// Waits for this caller's turn. The turn lasts until the call of `leave`.
    func enter() async {
        await withCheckedContinuation { waiter in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiters.append(waiter) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { waiter.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
