internal import AnnexLinux
internal import Dispatch
internal import Synchronization

/// A value that is set once. Tasks can suspend until it is set, and threads can block.
final class Milestone<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var tasks: [CheckedContinuation<Value, Never>] = []
        /// Tasks that stop waiting if they are cancelled. Each task has its own number.
        var impatient: [UInt64: CheckedContinuation<Value?, Never>] = [:]
        var last: UInt64 = 0
        var threads: [DispatchSemaphore] = []
        var jobs: [@Sendable (Value) -> Void] = []
    }

    private let state = Mutex(State())

    /// The value; nil if it is not set yet.
    var current: Value? { state.withLock { $0.value } }

    /// Sets the value. Later calls have no effect.
    func reach(_ value: Value) {
        let waiting = state.withLock { state in
            guard state.value == nil else { return State() }
            defer { state = State(value: value) }
            return state
        }
        for task in waiting.tasks { task.resume(returning: value) }
        for task in waiting.impatient.values { task.resume(returning: value) }
        for thread in waiting.threads { thread.signal() }
        for job in waiting.jobs { job(value) }
    }

    /// Runs a job with the value. If the value is set, the job runs now; otherwise, it runs on the thread that sets the
    /// value.
    func whenReached(_ job: @escaping @Sendable (Value) -> Void) {
        let value = state.withLock { state in
            if state.value == nil { state.jobs.append(job) }
            return state.value
        }
        if let value { job(value) }
    }

    /// Suspends until the value is set.
    nonisolated(nonsending) func value() async -> Value {
        await withCheckedContinuation { task in
            let value = state.withLock { state in
                if state.value == nil { state.tasks.append(task) }
                return state.value
            }
            if let value { task.resume(returning: value) }
        }
    }

    /// Suspends until the value is set or the task is cancelled.
    /// - Returns: nil if the task was cancelled before the value was set.
    nonisolated(nonsending) func valueUnlessCancelled() async -> Value? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { enlist($0, as: number) }
        } onCancel: {
            state.withLock { $0.impatient.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }

    private func enlist(_ task: CheckedContinuation<Value?, Never>, as number: UInt64) {
        let (value, waits) = state.withLock { state in
            // If the task was cancelled earlier, its handler has already run and found no continuation to resume.
            let waits = state.value == nil && !Task.isCancelled
            if waits { state.impatient[number] = task }
            return (state.value, waits)
        }
        if !waits { task.resume(returning: value) }
    }

    /// Blocks the thread until the value is set.
    func wait() -> Value {
        while true {
            if let value = wait(until: .max) { return value }
        }
    }

    /// Blocks the thread until the value is set.
    /// - Parameter deadline: a time of `MonotonicClock`; `.max` for no deadline.
    /// - Returns: nil if the value is not set by then.
    func wait(until deadline: UInt64) -> Value? {
        let semaphore = DispatchSemaphore(value: 0)
        let value = state.withLock { state in
            if state.value == nil { state.threads.append(semaphore) }
            return state.value
        }
        if let value { return value }
        let left = MonotonicClock.remaining(until: deadline)
        _ = semaphore.wait(timeout: deadline == .max ? .distantFuture : .now() + .nanoseconds(Int(clamping: left)))
        return current
    }
}
