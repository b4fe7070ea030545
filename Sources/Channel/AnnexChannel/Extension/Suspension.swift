internal import AnnexLinux

/// One wait of a task for something that this thread brings about, such as the host's answer to a call.
///
/// The Swift runtime may enqueue a task again at any `await`. So a task may give up its thread after it has made this
/// object and before it suspends. The thread then works on, so the outcome may come before the task suspends.
package final class Suspension<Outcome: Sendable> {
    private enum State {
        case begun
        case waiting(CheckedContinuation<Outcome, Never>)
        /// The outcome came before the task suspended.
        case resolved(Outcome)
        case over
    }

    private var state = State.begun
    private let tasks: FirstThread

    init(on tasks: FirstThread) {
        self.tasks = tasks
    }

    package convenience init(_ lookout: ExtensionLookout) {
        self.init(on: lookout.core.tasks)
    }

    /// Ends the wait, unless it has ended already.
    /// - Returns: whether this outcome is the one that the task gets.
    @discardableResult
    package func resolve(with outcome: Outcome) -> Bool {
        switch state {
        case .begun: state = .resolved(outcome)
        case .waiting(let task):
            state = .over
            task.resume(returning: outcome)
        case .resolved, .over: return false
        }
        return true
    }

    /// Suspends the task until `resolve` is called. Call this function once.
    /// - Parameters:
    ///   - deadline: the end of the wait on `MonotonicClock`; nil for no limit.
    ///   - giveUp: called on this thread if the deadline passes or the task is cancelled. The closure calls `resolve`.
    package nonisolated(nonsending) func outcome(
        until deadline: UInt64?, orElse giveUp: @escaping (GivenUp) -> Void
    ) async -> Outcome {
        // SAFETY: bodies of `perform` run on this thread, and so does all code that uses this object.
        nonisolated(unsafe) let (wait, giveUp) = (self, giveUp)
        let tasks = tasks
        let timer = deadline.map { tasks.perform(at: $0) { unsafe giveUp(.tooLate) } }
        defer { if let timer { tasks.cancel(timer) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { unsafe wait.suspend($0) }
        } onCancel: {
            tasks.perform { unsafe giveUp(.cancelled) }
        }
    }

    private func suspend(_ task: CheckedContinuation<Outcome, Never>) {
        guard case .resolved(let outcome) = state else { return state = .waiting(task) }
        state = .over
        task.resume(returning: outcome)
    }
}

/// Why a task waits no longer for an outcome.
package enum GivenUp: Sendable {
    /// The deadline has passed.
    case tooLate
    /// The task was cancelled.
    case cancelled
}
