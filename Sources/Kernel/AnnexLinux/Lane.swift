internal import Synchronization

/// Runs jobs one after another, on a thread of its own. A job that blocks delays only its own lane, for example one user's.
///
/// The thread exists only while there are jobs, and a moment longer: the next job of a burst then finds a thread that sleeps,
/// instead of waiting for a new one.
package final class Lane: Sendable {
    private enum Worker {
        case none
        case working
        /// It sleeps, and ends after `rest`.
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

    /// - Parameter name: shown by debuggers and `top -H`; at most 15 bytes.
    package init(_ name: String) {
        self.name = name
    }

    /// How many jobs have not begun.
    package var count: Int { state.withLock { $0.jobs.count } }

    /// Whether no job waits or runs.
    package var isIdle: Bool { state.withLock { $0.worker != .working && $0.jobs.isEmpty } }

    /// Adds a job. If no thread can be created, the job runs when the next one is added.
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

    /// The next job; if there is none, the worker rests from now on.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.worker = .resting
                return nil
            }
            return state.jobs.removeFirst()
        }
    }

    /// - Returns: false if the rest is over, and the worker has to end.
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
