internal import Synchronization

/// Runs a job in a task, and once more if it is asked for meanwhile. So news that come while the last ones are read are not lost,
/// and many of them cause one more run at most.
final class CatchUp: Sendable {
    private struct State {
        var isRunning = false
        var isAsked = false
    }

    private let state = Mutex(State())

    /// The task runs on the extension's one thread, or in an app on any.
    func ask(_ job: @escaping @Sendable () async -> Void) {
        let mustStart = state.withLock { state in
            state.isAsked = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return }
        Task { [self] in
            while take() { await job() }
        }
    }

    private func take() -> Bool {
        state.withLock { state in
            defer { state.isAsked = false }
            if !state.isAsked { state.isRunning = false }
            return state.isAsked
        }
    }
}
