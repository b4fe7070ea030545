internal import AnnexBrokerAPI
internal import AnnexChannel
public import AnnexModel

extension ExtensionSession {
    /// Ends the session after the extension has answered its requests. The extension may tidy up for as long as its
    /// extension point's grace; a cancelled task also waits no longer than that.
    ///
    /// - Returns: the end; its reason is `completed` unless something else ended the extension before.
    public nonisolated(nonsending) func complete() async -> Termination {
        link.tell { $0.dismiss(completed: true) }
        return await link.ended.value()
    }

    /// Ends the session without waiting for open answers.
    ///
    /// - Returns: the end; its reason is `cancelled` unless something else ended the extension before.
    public nonisolated(nonsending) func cancel() async -> Termination {
        link.tell { $0.dismiss(completed: false) }
        return await link.ended.value()
    }

    /// `complete()` for code without Swift concurrency: it blocks the thread for the extension point's grace at most.
    ///
    /// - Precondition: the thread is not the event loop's, which would have to deliver the end; the program stops
    ///   otherwise. After the extension's end any thread may call this.
    public func completeAndWait() -> Termination {
        dismissAndWait(completed: true)
    }

    /// `cancel()` for code without Swift concurrency. The precondition of `completeAndWait` holds here too.
    public func cancelAndWait() -> Termination {
        dismissAndWait(completed: false)
    }

    private func dismissAndWait(completed: Bool) -> Termination {
        link.tell { $0.dismiss(completed: completed) }
        guard let end = waitForEnd() else {
            // Without an end there is nothing to return, and a thread that waits for itself would silently block every
            // channel.
            fatalError(
                "completeAndWait and cancelAndWait would wait for themselves on the event loop's thread: "
                    + "call them from another thread, or complete() and cancel() from a task")
        }
        return end
    }

    /// Blocks this thread until the end.
    /// - Returns: nil on the event loop's thread if there is no end yet, because that thread would have to deliver it.
    private func waitForEnd() -> Termination? {
        if let known = link.ended.current { return known }
        return channel.isOnLoop ? nil : link.ended.wait()
    }

    /// Blocks this thread until the end, which tells more than the failed call. On the event loop's thread, which
    /// cannot wait, it returns the error of every blocking call there.
    func endAndWait() -> HostError {
        if let end = waitForEnd() { .ended(end) } else { .onEventLoop }
    }
}
