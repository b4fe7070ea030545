internal import Synchronization

/// Limits the number of tasks that wait for answers at the same time. Each such task takes a place. If all places are
/// taken, further tasks wait in their order for a free place. A broker reads only a limited number of unanswered
/// requests from one process. Without these places, the waiting tasks could use up that number, and the broker would
/// delay all other requests of this process.
final class PortalSlots: Sendable {
    private struct State {
        var free: Int
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        /// The tasks that wait for a place. The task that has waited longest comes first.
        var order: [UInt64] = []
        var last: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: count))
    }

    /// Takes a place. The caller must give the place back.
    /// - Returns: false if the task was cancelled before it got a place.
    nonisolated(nonsending) func take() async -> Bool {
        let number = state.withLock { state -> UInt64? in
            state.last += 1
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            return state.last
        }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0, as: number) }
        } onCancel: {
            giveUp(number)
        }
    }

    private func wait(_ continuation: CheckedContinuation<Bool, Never>, as number: UInt64) {
        let answer = state.withLock { state -> Bool? in
            // Before the task waits here, a place may have become free, or the task may have been cancelled.
            if Task.isCancelled { return false }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            state.waiting[number] = continuation
            state.order.append(number)
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    private func giveUp(_ number: UInt64) {
        let waiting = state.withLock { state in
            state.order.removeAll { $0 == number }
            return state.waiting.removeValue(forKey: number)
        }
        waiting?.resume(returning: false)
    }

    func giveBack() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard let first = state.order.first else {
                state.free += 1
                return nil
            }
            state.order.removeFirst()
            return state.waiting.removeValue(forKey: first)
        }
        next?.resume(returning: true)
    }
}
