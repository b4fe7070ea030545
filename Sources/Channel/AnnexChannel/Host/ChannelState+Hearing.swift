internal import AnnexLinux
internal import Synchronization

// One order for answers and handlers: everything that arrived before an answer reaches its handler before the caller
// gets the answer. Handlers run on the event loop's thread, one after another. So an answer that follows a notice waits
// for the notice's handler. A waiting task is resumed on that thread after the handler has run, and a blocked thread
// waits until then. An answer with no unhandled message before it does not wait. A stream's messages and credit have an
// order of their own: their reader may get them before a notice that arrived earlier.

extension ChannelState {
    /// Runs a handler for something that the extension did, on the event loop's thread. A violation is the last event.
    /// Another thread may still be reading when the violation is found, so later handlers are skipped here.
    func tell(_ body: @escaping @Sendable () -> Void) {
        unheard.add(1, ordering: .relaxed)
        let isTaken = loop.execute { [self] in
            // SYNC: stored and read only on the loop's thread.
            if !isCondemned.load(ordering: .relaxed) { body() }
            // SYNC: releases the handler's effects to a caller that acquires 0.
            unheard.subtract(1, ordering: .releasing)
        }
        if !isTaken { unheard.subtract(1, ordering: .relaxed) }
    }

    /// Whether handlers of messages that were read have not finished yet.
    var hasUnheard: Bool {
        // SYNC: acquires the effects of the handlers.
        unheard.load(ordering: .acquiring) != 0
    }

    /// Blocks this thread until the handlers of all messages read so far have run, at most until the caller's own
    /// deadline. Does not wait on the event loop's thread.
    @inline(__always) func hearFirst(until deadline: @autoclosure () -> UInt64?) {
        if hasUnheard { loop.settle(until: deadline()) }
    }

    /// Like `hearFirst(until:)`, for a failed call. Only a failure that the extension itself sent has to wait for
    /// earlier messages.
    func hearFirst(before failure: CallFailure, until deadline: UInt64?) {
        if failure.isAnswer { hearFirst(until: deadline) }
    }

    /// Like `hearFirst(until:)`, for a task.
    nonisolated(nonsending) func hearFirst() async {
        guard hasUnheard else { return }
        await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
    }

    nonisolated(nonsending) func hearFirst(before failure: CallFailure) async {
        if failure.isAnswer { await hearFirst() }
    }

    /// Runs a body after the handlers of all messages read so far: at once if they have run, otherwise on the event
    /// loop's thread.
    func whenHeard(_ body: @escaping @Sendable () -> Void) {
        if hasUnheard { loop.perform(body) } else { body() }
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
