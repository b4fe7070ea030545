internal import AnnexLinux
internal import Synchronization

// Resuming a task may run the owner's code, so it never happens under a lock of the channel. The thread that reads the ring
// keeps the tasks that it has answers for, and resumes them after it has let go of the lock. That spares the event loop's
// thread a wake-up. A reader that goes on waiting for an answer of its own must not keep them meanwhile.

extension HostEndpoint {
    /// Keeps a task for whoever lets go of the receiving lock next.
    func resumeAfterReading(_ task: AnsweredTask) {
        answered.withLock { list in
            list.append(task)
            // SYNC: stored under the lock of the list, behind which it is also taken back. The reader that stores it looks
            // at it after its own unlocking, and finds it, or another thread has taken the list over.
            hasAnswered.store(true, ordering: .relaxed)
        }
    }

    /// Whether a reader keeps tasks that wait to be resumed.
    var keepsTasks: Bool { hasAnswered.load(ordering: .relaxed) }

    /// Resumes the tasks that a reader has kept, once the owner has heard all that was read. Under no lock of the channel.
    func resumeAnswered() {
        guard keepsTasks else { return }
        for task in takeAnswered() { whenHeard { task.resume() } }
    }

    /// Has the event loop's thread do so, for a reader that keeps its lock.
    func leaveAnsweredToLoop() {
        guard keepsTasks else { return }
        for task in takeAnswered() { loop.perform { task.resume() } }
    }

    private func takeAnswered() -> [AnsweredTask] {
        answered.withLock { list in
            hasAnswered.store(false, ordering: .relaxed)
            defer { list = [] }
            return list
        }
    }
}
