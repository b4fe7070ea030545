public import AnnexModel
internal import AnnexService

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

    /// `complete()` for code without Swift concurrency: blocks for the extension point's grace at most.
    public func completeAndWait() -> Termination {
        link.tell { $0.dismiss(completed: true) }
        return link.ended.wait()
    }

    /// `cancel()` for code without Swift concurrency.
    public func cancelAndWait() -> Termination {
        link.tell { $0.dismiss(completed: false) }
        return link.ended.wait()
    }
}
