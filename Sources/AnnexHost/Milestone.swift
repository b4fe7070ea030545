internal import Dispatch
internal import Synchronization

/// A value that comes once, for waiters of both worlds: tasks suspend, threads block.
final class Milestone<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var tasks: [CheckedContinuation<Value, Never>] = []
        var threads: [DispatchSemaphore] = []
        var jobs: [@Sendable (Value) -> Void] = []
    }

    private let state = Mutex(State())

    /// The value, if it has come.
    var current: Value? { state.withLock { $0.value } }

    /// Sets the value; only the first time counts.
    func reach(_ value: Value) {
        let waiting = state.withLock { state in
            guard state.value == nil else { return State() }
            defer { state = State(value: value) }
            return state
        }
        for task in waiting.tasks { task.resume(returning: value) }
        for thread in waiting.threads { thread.signal() }
        for job in waiting.jobs { job(value) }
    }

    /// Runs a job with the value: now where it has come, else on the thread that brings it.
    func whenReached(_ job: @escaping @Sendable (Value) -> Void) {
        let value = state.withLock { state in
            if state.value == nil { state.jobs.append(job) }
            return state.value
        }
        if let value { job(value) }
    }

    /// Suspends until the value has come.
    func value() async -> Value {
        await withCheckedContinuation { task in
            let value = state.withLock { state in
                if state.value == nil { state.tasks.append(task) }
                return state.value
            }
            if let value { task.resume(returning: value) }
        }
    }

    /// Blocks the thread until the value has come.
    func wait() -> Value {
        while true {
            let semaphore = DispatchSemaphore(value: 0)
            let value = state.withLock { state in
                if state.value == nil { state.threads.append(semaphore) }
                return state.value
            }
            if let value { return value }
            semaphore.wait()
        }
    }
}
