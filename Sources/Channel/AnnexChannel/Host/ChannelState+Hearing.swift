internal import AnnexLinux
internal import Synchronization

// One order for answers and what handlers hear: what stood before an answer, its host hears before it. Handlers run on the
// event loop's thread, one after another. So an answer that stood behind a notice waits for the notice's handler: a task is
// resumed behind it on that thread, a blocked thread waits for it. An answer with nothing unheard before it waits for nobody.
// A stream's messages and credit have an order of their own: their reader may have them before a notice that stood before.

extension ChannelState {
    /// Tells the owner something of the extension's, on the event loop's thread. A violation is the last: a thread that
    /// reads while another one finds it may still hand on what came before.
    func tell(_ body: @escaping @Sendable () -> Void) {
        unheard.add(1, ordering: .relaxed)
        let isTaken = loop.execute { [self] in
            // SYNC: stored and read on the loop's thread only.
            if !isCondemned.load(ordering: .relaxed) { body() }
            // SYNC: releases what the handler did, for the caller that acquires 0.
            unheard.subtract(1, ordering: .releasing)
        }
        if !isTaken { unheard.subtract(1, ordering: .relaxed) }
    }

    /// Whether the owner has not yet heard all that was read.
    var hasUnheard: Bool {
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
    nonisolated(nonsending) func hearFirst() async {
        guard hasUnheard else { return }
        await withCheckedContinuation { continuation in loop.perform { continuation.resume() } }
    }

    nonisolated(nonsending) func hearFirst(before failure: CallFailure) async {
        if failure.isAnswer { await hearFirst() }
    }

    /// Runs a body once the owner has heard all that was read: at once if it has, else on the event loop's thread.
    func whenHeard(_ body: @escaping @Sendable () -> Void) {
        if hasUnheard { loop.perform(body) } else { body() }
    }
}

extension CallFailure {
    /// Whether it is what the extension said.
    fileprivate var isAnswer: Bool {
        if case .failed = self { true } else { false }
    }
}
