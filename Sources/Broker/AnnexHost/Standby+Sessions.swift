public import AnnexModel

extension Standby {
    /// Begins a session with an extension that has served no request before. If no extension is parked, a new extension
    /// is launched.
    ///
    /// - Throws: the errors of `AnnexHost.begin`.
    public nonisolated(nonsending) func begin() async throws(HostError) -> ExtensionSession {
        try await ready(popFresh())
    }

    /// Does the same as `begin`, for code without Swift concurrency. If no extension is parked, the call blocks the
    /// thread.
    public func beginAndWait() throws(HostError) -> ExtensionSession {
        try readyAndWait(popFresh())
    }

    /// Sends one request to a parked extension. If no extension is parked, this function launches a new extension.
    ///
    /// After the request, the extension is ended, or waits for the next request as long as its policy's `keep-alive`
    /// allows.
    ///
    /// - Parameters: as for `ExtensionSession.request`.
    /// - Throws: the errors of `AnnexHost.begin` and `ExtensionSession.request`.
    public nonisolated(nonsending) func request(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) async throws(HostError) -> [ExtensionItem] {
        do throws(HostError) {
            let session = try await ready(popAny())
            let answer = try await session.request(items, accepting: acceptance, timeout: timeout)
            finish(session)
            return answer
        } catch {
            // An extension that failed is not used again. The release of the last reference to its session has ended
            // the extension.
            lose()
            throw error
        }
    }

    /// Does the same as `request`, for code without Swift concurrency. The call blocks the thread.
    public func requestAndWait(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) throws(HostError) -> [ExtensionItem] {
        do throws(HostError) {
            let session = try readyAndWait(popAny())
            let answer = try session.requestAndWait(items, accepting: acceptance, timeout: timeout)
            finish(session)
            return answer
        } catch {
            lose()
            throw error
        }
    }

    /// The session of the parked extension if that extension can be claimed; otherwise, the session of a new extension.
    private nonisolated(nonsending) func ready(
        _ parked: ExtensionSession?
    ) async throws(HostError) -> ExtensionSession {
        if let parked, await parked.link.claim() { return parked }
        let session = try await launch()
        try await session.becomeReady()
        return session
    }

    private func readyAndWait(_ parked: ExtensionSession?) throws(HostError) -> ExtensionSession {
        if let parked, parked.link.claimAndWait() { return parked }
        let session = try launchAndWait()
        try session.waitUntilReady()
        return session
    }
}
