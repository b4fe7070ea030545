internal import Synchronization

/// One after the other. A trial of what the kernel counts for a whole user must not meet another one of the same user:
/// each would be taken for the other's.
final class Turn: Sendable {
    private struct State {
        var isTaken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    static let ofUser = Turn()

    private let state = Mutex(State())

    /// Waits until it is this caller's turn, which `leave` ends.
    func take() async {
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
