internal import AnnexLinux
internal import Synchronization

// Answers and handlers have one order: if a message arrived before an answer, its handler runs before the caller gets
// the answer. Handlers run on the event loop's thread, one after another. So an answer that follows a notice waits for
// the notice's handler. A waiting task is resumed on that thread after the handler has run, and a blocked thread waits
// until then. An answer with no unhandled message before it does not wait. A stream's messages and credit have an order
// of their own: their reader may get them before a notice that arrived earlier.

extension ChannelState {
    /// Runs a handler for something that the extension did, on the event loop's thread. A violation is the last event.
    /// Another thread may still be reading when the violation is found, so later handlers are skipped here.
    func runHandler(_ body: @escaping @Sendable () -> Void) {
        pendingHandlers.add(1, ordering: .relaxed)
        let isQueued = loop.execute { [self] in
            // SYNC: stored and read only on the loop's thread.
            if !isCondemned.load(ordering: .relaxed) { body() }
            // SYNC: releases the handler's effects to a caller that acquires 0.
            pendingHandlers.subtract(1, ordering: .releasing)
        }
        if !isQueued { pendingHandlers.subtract(1, ordering: .relaxed) }
    }

    /// Whether handlers of messages that were read have not finished yet.
    var hasPendingHandlers: Bool {
        // SYNC: acquires the effects of the handlers.
        pendingHandlers.load(ordering: .acquiring) != 0
    }

    /// Blocks this thread until the handlers of all messages read so far have run, at most until the caller's own
    /// deadline. Does not wait on the event loop's thread.
    @inline(__always) func waitForHandlers(until deadline: @autoclosure () -> UInt64?) {
        if hasPendingHandlers { loop.settle(until: deadline()) }
    }

    /// Like `waitForHandlers(until:)`, for a failed call. Only a failure that the extension itself sent has to wait for
    /// earlier messages.
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
