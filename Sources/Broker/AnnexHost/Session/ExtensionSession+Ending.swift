internal import AnnexBrokerAPI
internal import AnnexChannel
public import AnnexModel

extension ExtensionSession {
    /// Ends the session: the extension has answered what it was asked. It gets a moment to tidy up, its extension point's
    /// grace at most; a task that is cancelled waits for no longer than that either.
    ///
    /// - Returns: the end; `completed` unless something else ended it before.
    public nonisolated(nonsending) func complete() async -> Termination {
        link.tell { $0.dismiss(completed: true) }
        return await link.ended.value()
    }

    /// Ends the session without waiting for answers.
    ///
    /// - Returns: the end; `cancelled` unless something else ended it before.
    public nonisolated(nonsending) func cancel() async -> Termination {
        link.tell { $0.dismiss(completed: false) }
        return await link.ended.value()
    }

    /// `complete()` for code without Swift concurrency: blocks for the extension point's grace at most. On the event loop's
    /// thread it stops the program, unless the extension has ended: the end would come by that thread.
    public func completeAndWait() -> Termination {
        dismissAndWait(completed: true)
    }

    /// `cancel()` for code without Swift concurrency. On the event loop's thread the same holds as for `completeAndWait`.
    public func cancelAndWait() -> Termination {
        dismissAndWait(completed: false)
    }

    private func dismissAndWait(completed: Bool) -> Termination {
        link.tell { $0.dismiss(completed: completed) }
        guard let end = waitForEnd() else {
            // There is no end to return, and a thread that waits for itself holds up every channel without a word.
            fatalError(
                "completeAndWait and cancelAndWait would wait for themselves on the event loop's thread: "
                    + "call them from another thread, or complete() and cancel() from a task")
        }
        return end
    }

    /// Waits on this thread for the end.
    /// - Returns: nil on the event loop's thread where there is no end yet: the end would come by that thread.
    private func waitForEnd() -> Termination? {
        if let known = link.ended.current { return known }
        return channel.isOnLoop ? nil : link.ended.wait()
    }

    /// Waits on this thread for the end, which says more than the failure of a call. Where it cannot be waited for, the
    /// error is the one of every blocking call on the event loop's thread.
    func endAndWait() -> HostError {
        if let end = waitForEnd() { .ended(end) } else { .onEventLoop }
    }
}
