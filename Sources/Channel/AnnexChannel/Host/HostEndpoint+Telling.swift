internal import AnnexLinux
internal import Synchronization

// One order for answers and what handlers hear: what stood before an answer, its host hears before it. Handlers run on the
// event loop's thread, one after another. So an answer that stood behind a notice waits for the notice's handler: a task is
// resumed behind it on that thread, a blocked thread waits for it. An answer with nothing unheard before it waits for nobody.
// A stream's messages and credit have an order of their own: their reader may have them before a notice that stood before.

extension HostEndpoint {
    /// Tells the owner something of the extension's, on the event loop's thread. A violation is the last: whoever reads
    /// while another thread finds one may still hand on what came before.
    func tell(_ body: @escaping @Sendable () -> Void) {
        unheard.add(1, ordering: .relaxed)
        let isTaken = loop.execute { [weak self] in
            // SYNC: stored and read on the loop's thread only.
            if self?.isCondemned.load(ordering: .relaxed) != true { body() }
            // SYNC: releases what the handler did, for the caller that acquires 0.
            self?.unheard.subtract(1, ordering: .releasing)
        }
        if !isTaken { unheard.subtract(1, ordering: .relaxed) }
    }

    /// Whether the owner has not yet heard all that was read.
    @usableFromInline var hasUnheard: Bool {
        // SYNC: acquires what the handlers did.
        unheard.load(ordering: .acquiring) != 0
    }

    /// Waits on this thread until the owner has heard all that was read, at most until the caller's own deadline. On the
    /// event loop's thread nothing is waited for.
    @inline(__always) func hearFirst(until deadline: @autoclosure () -> UInt64?) {
        if hasUnheard { loop.settle(until: deadline()) }
    }

    /// The same where a call has failed: only what the extension itself answered has a place behind what it sent.
    func hearFirst(before failure: CallFailure, until deadline: UInt64?) {
        if failure.isAnswer { hearFirst(until: deadline) }
    }

    /// The same for a task.
    @usableFromInline nonisolated(nonsending) func hearFirst() async {
        guard hasUnheard else { return }
        await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
    }

    @usableFromInline nonisolated(nonsending) func hearFirst(before failure: CallFailure) async {
        if failure.isAnswer { await hearFirst() }
    }

    /// Runs a body once the owner has heard all that was read: at once if it has, else on the event loop's thread.
    package func whenHeard(_ body: @escaping @Sendable () -> Void) {
        if hasUnheard { loop.perform(body) } else { body() }
    }
}

extension CallFailure {
    /// Whether it is what the extension said.
    fileprivate var isAnswer: Bool {
        if case .failed = self { true } else { false }
    }
}

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
