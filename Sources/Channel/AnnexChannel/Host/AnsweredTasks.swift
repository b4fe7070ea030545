internal import Synchronization

/// Tasks whose calls have an outcome. The thread that read the answers resumes them after it releases the receiving
/// lock.
struct AnsweredTasks: ~Copyable, Sendable {
    private let list = Mutex<[AnsweredTask]>([])
    /// Whether the list has any task.
    private let isAny = Atomic<Bool>(false)

    var isEmpty: Bool { !isAny.load(ordering: .relaxed) }

    func keep(_ task: AnsweredTask) {
        list.withLock { list in
            list.append(task)
            // SYNC: stored under the list's lock, under which `take` also clears it. The reader that stored it checks
            // it again after it releases the receiving lock. It then finds the tasks, or another thread has taken the
            // list.
            isAny.store(true, ordering: .relaxed)
        }
    }

    func take() -> [AnsweredTask] {
        guard !isEmpty else { return [] }
        return list.withLock { list in
            isAny.store(false, ordering: .relaxed)
            defer { list = [] }
            return list
        }
    }
}

/// A task that is still to be resumed with the outcome of its call.
struct AnsweredTask: Sendable {
    let task: CheckedContinuation<ChannelCall.Outcome, Never>
    let outcome: ChannelCall.Outcome

    func resume() {
        task.resume(returning: outcome)
    }
}
