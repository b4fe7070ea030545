internal import Synchronization

/// Runs a job in a task. If the job is requested again while it runs, the job runs once more afterwards. So news that
/// arrive while the job reads earlier news are not lost. Any number of requests during one run causes at most one
/// more run.
final class CatchUp: Sendable {
    private struct State {
        var isRunning = false
        var isAsked = false
    }

    private let state = Mutex(State())

    /// Requests a run of the job. In an extension, the task runs on the only thread of the process. In an app, the
    /// task may run on any thread.
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
