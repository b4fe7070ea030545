internal import Synchronization

/// Runs jobs one after another, on a thread that exists only while there are jobs. A job that blocks delays only its
/// own lane, for example one user's.
package final class Lane: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let name: String
    private let state = Mutex(State())

    /// - Parameter name: shown by debuggers and `top -H`; at most 15 bytes.
    package init(_ name: String) {
        self.name = name
    }

    /// How many jobs have not begun.
    package var count: Int { state.withLock { $0.jobs.count } }

    /// Whether no job waits or runs.
    package var isIdle: Bool { state.withLock { !$0.isRunning && $0.jobs.isEmpty } }

    /// Adds a job. If no thread can be created, the job runs when the next one is added.
    package func run(_ job: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard mustStart else { return }
        do throws(SystemError) {
            _ = try WorkerThread(name) { [self] in work() }
        } catch {
            state.withLock { $0.isRunning = false }
        }
    }

    private func work() {
        while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
