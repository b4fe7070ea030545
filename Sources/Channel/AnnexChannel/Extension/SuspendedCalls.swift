/// The calls to the host that tasks have sent, until each task has its answer.
///
/// The Swift runtime may enqueue a task again at any `await`. So a task may give up its thread after it has sent its
/// call and before it suspends. The thread then reads the channel, so the answer or a cancellation may come before the
/// task suspends.
struct SuspendedCalls {
    private enum State {
        case sent
        case waiting(CheckedContinuation<HostAnswer, Never>)
        /// The outcome came before the task suspended.
        case resolved(HostAnswer)
    }

    private var states: [UInt64: State] = [:]

    /// Records a call whose task will suspend.
    mutating func add(_ call: UInt64) { states[call] = .sent }

    /// Keeps the task until the call is resolved. If the call is resolved already, the task continues at once.
    mutating func suspend(_ task: CheckedContinuation<HostAnswer, Never>, for call: UInt64) {
        if case .resolved(let answer)? = states[call] {
            states[call] = nil
            task.resume(returning: answer)
        } else {
            states[call] = .waiting(task)
        }
    }

    /// Resolves a call, unless it is resolved already.
    /// - Returns: whether the call was open.
    @discardableResult
    mutating func resolve(_ call: UInt64, with answer: HostAnswer) -> Bool {
        switch states[call] {
        case .sent: states[call] = .resolved(answer)
        case .waiting(let task):
            states[call] = nil
            task.resume(returning: answer)
        case .resolved, nil: return false
        }
        return true
    }
}
