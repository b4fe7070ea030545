extension ExtensionLookout {
    /// Calls the host for code that is working on a request. The thread answers pings while it waits.
    /// - Throws: `ExtensionFailure.failed` if the host answers with a failure.
    package func callAndWait(_ method: UInt16, payload: [UInt8]) throws(ExtensionFailure) -> HostHandOver {
        try core.call(method, payload: payload, until: nil).handOver()
    }

    /// Calls the host, and suspends the task until the answer. Cancelling the task gives up the call.
    /// - Parameter deadline: the end of the wait on `MonotonicClock`; nil for no limit.
    /// - Throws: `ExtensionFailure.failed` if the host answers with a failure; `.deadlineExceeded` and `.cancelled` if
    ///   the answer did not come before.
    package nonisolated(nonsending) func call(
        _ method: UInt16, payload: [UInt8], until deadline: UInt64?
    ) async throws(ExtensionFailure) -> HostHandOver {
        try await core.call(suspending: method, payload: payload, until: deadline).handOver()
    }

    /// Sends a request whose answer does not matter. When the answer comes, it is dropped.
    package func callWithoutAnswer(_ method: UInt16, payload: [UInt8]) throws(ExtensionFailure) {
        _ = try core.sendCall(method, payload: payload, until: nil)
    }
}
