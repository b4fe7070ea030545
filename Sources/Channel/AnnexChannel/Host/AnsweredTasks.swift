internal import Synchronization

/// The tasks whose calls have an outcome, and that a reader of the ring is still to resume.
struct AnsweredTasks: ~Copyable, Sendable {
    private let list = Mutex<[AnsweredTask]>([])
    /// Whether there are any.
    private let isAny = Atomic<Bool>(false)

    var isEmpty: Bool { !isAny.load(ordering: .relaxed) }

    func keep(_ task: AnsweredTask) {
        list.withLock { list in
            list.append(task)
            // SYNC: stored under the lock of the list, behind which it is also taken back. The reader that stores it looks
            // at it after its own unlocking, and finds it, or another thread has taken the list over.
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

/// A task whose call has an outcome, which it is still to be resumed with.
struct AnsweredTask: Sendable {
    let task: CheckedContinuation<ChannelCall.Outcome, Never>
    let outcome: ChannelCall.Outcome

    func resume() {
        task.resume(returning: outcome)
    }
}
