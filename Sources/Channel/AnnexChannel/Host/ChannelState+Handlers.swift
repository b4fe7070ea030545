internal import AnnexLinux
internal import Synchronization

// Answers and handlers have one order: if a message arrived before an answer, the message's handler runs before the
// caller gets the answer. The event loop's thread runs the handlers one after another. So an answer that follows a
// notice waits for the notice's handler. If a task waits for the answer, the event loop's thread resumes the task after
// the handler has run. If a thread waits for the answer, the thread stays blocked until the handler has run. If no
// unhandled message came before the answer, the answer does not wait. A stream's messages and credit have a separate
// order. The stream's reader may get a message or credit before the handler of an earlier notice has run.

extension ChannelState {
    /// Runs a handler for something that the extension did, on the event loop's thread. After the handler of a
    /// violation no other handler runs. Another thread may still be reading when the violation is found, so this method
    /// skips later handlers.
    func runHandler(_ body: @escaping @Sendable () -> Void) {
        pendingHandlers.add(1, ordering: .relaxed)
        let isQueued = loop.execute { [self] in
            // SYNC: this value is stored and read only on the event loop's thread.
            if !isCondemned.load(ordering: .relaxed) { body() }
            // SYNC: releases the handler's effects to a caller whose acquiring load returns 0.
            pendingHandlers.subtract(1, ordering: .releasing)
        }
        if !isQueued { pendingHandlers.subtract(1, ordering: .relaxed) }
    }

    /// Whether a message has been read whose handler has not finished yet.
    var hasPendingHandlers: Bool {
        // SYNC: acquires the effects of the handlers.
        pendingHandlers.load(ordering: .acquiring) != 0
    }

    /// Blocks this thread until the handlers of all messages read so far have run, at most until the caller's own
    /// deadline. On the event loop's thread, this method does not wait.
    @inline(__always) func waitForHandlers(until deadline: @autoclosure () -> UInt64?) {
        if hasPendingHandlers { loop.settle(until: deadline()) }
    }

    /// Like `waitForHandlers(until:)`, for a failed call. If the extension itself sent the failure, this method waits
    /// for the handlers of earlier messages. For any other failure, it does not wait.
    func waitForHandlers(before failure: CallFailure, until deadline: UInt64?) {
        if failure.isAnswer { waitForHandlers(until: deadline) }
    }

    /// Like `waitForHandlers(until:)`, for a task.
    nonisolated(nonsending) func waitForHandlers() async {
        guard hasPendingHandlers else { return }
        await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
    }

    nonisolated(nonsending) func waitForHandlers(before failure: CallFailure) async {
        if failure.isAnswer { await waitForHandlers() }
    }

    /// Runs a body after the handlers of all messages read so far: at once if they have run, otherwise on the event
    /// loop's thread.
    func runAfterHandlers(_ body: @escaping @Sendable () -> Void) {
        if hasPendingHandlers { loop.perform(body) } else { body() }
    }
}

extension CallFailure {
    /// Whether the extension itself sent this failure as its answer.
    fileprivate var isAnswer: Bool {
        switch self {
        case .failed, .unreadable: true
        default: false
        }
    }
}
