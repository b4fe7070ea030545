internal import Synchronization

/// Runs jobs one after another on its own thread. A job that blocks delays only its own lane, for example the lane of
/// one user.
///
/// The thread exists while there are jobs, and for a short time (`rest`) afterwards. If the next job arrives in this
/// time, the lane wakes the sleeping thread and need not create a new thread.
package final class Lane: Sendable {
    private enum Worker {
        case none
        case working
        /// The worker sleeps, and ends after `rest`.
        case resting
    }

    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var worker = Worker.none
    }

    private static let rest = Duration.milliseconds(250)

    private let name: String
    private let state = Mutex(State())
    private let bed = Parker()

    /// - Parameter name: the name that debuggers and `top -H` show, at most 15 bytes.
    package init(_ name: String) {
        self.name = name
    }

    /// The number of jobs that have not begun.
    package var count: Int { state.withLock { $0.jobs.count } }

    /// Whether no job waits or runs.
    package var isIdle: Bool { state.withLock { $0.worker != .working && $0.jobs.isEmpty } }

    /// Adds a job. If no thread can be created, the job waits until another job is added.
    package func run(_ job: @escaping @Sendable () -> Void) {
        let before = state.withLock { state in
            state.jobs.append(job)
            defer { state.worker = .working }
            return state.worker
        }
        switch before {
        case .working: break
        case .resting: bed.unpark()
        case .none: startWorker()
        }
    }

    private func startWorker() {
        do throws(SystemError) {
            _ = try WorkerThread(name) { [self] in work() }
        } catch {
            state.withLock { $0.worker = .none }
        }
    }

    private func work() {
        repeat {
            while let job = next() { job() }
        } while findsJobWhileResting()
    }

    /// The next job. If there is no job, the worker's state becomes `resting`.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.worker = .resting
                return nil
            }
            return state.jobs.removeFirst()
        }
    }

    /// - Returns: false if no job came during `rest`. The worker must then end.
    private func findsJobWhileResting() -> Bool {
        let deadline = MonotonicClock.deadline(after: Self.rest)
        while MonotonicClock.now() < deadline {
            bed.park(until: deadline)
            if state.withLock({ $0.worker == .working }) { return true }
        }
        return state.withLock { state in
            if state.worker == .working { return true }
            state.worker = .none
            return false
        }
    }
}
