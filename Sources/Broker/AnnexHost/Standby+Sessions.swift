public import AnnexModel

extension Standby {
    /// A session with an extension that has served nobody: a parked one, else one that is launched now.
    ///
    /// - Throws: what `AnnexHost.begin` throws.
    public nonisolated(nonsending) func begin() async throws(HostError) -> ExtensionSession {
        try await ready(takeFresh())
    }

    /// The same for code without Swift concurrency: blocks where nobody is parked.
    public func beginAndWait() throws(HostError) -> ExtensionSession {
        try readyAndWait(takeFresh())
    }

    /// One request to an extension that is ended afterwards, or waits for the next one for as long as its policy's
    /// `keep-alive` says.
    ///
    /// - Parameters: as `ExtensionSession.request`.
    /// - Throws: what `AnnexHost.begin` and `ExtensionSession.request` throw.
    public nonisolated(nonsending) func request(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) async throws(HostError) -> [ExtensionItem] {
        do throws(HostError) {
            let session = try await ready(takeAny())
            let answer = try await session.request(items, accepting: acceptance, timeout: timeout)
            finish(session)
            return answer
        } catch {
            // One that failed is not used again: its last reference ended it.
            lose()
            throw error
        }
    }

    /// The same for code without Swift concurrency: blocks the thread.
    public func requestAndWait(
        _ items: [ExtensionItem], accepting acceptance: Acceptance = .nothing, timeout: Duration? = nil
    ) throws(HostError) -> [ExtensionItem] {
        do throws(HostError) {
            let session = try readyAndWait(takeAny())
            let answer = try session.requestAndWait(items, accepting: acceptance, timeout: timeout)
            finish(session)
            return answer
        } catch {
            lose()
            throw error
        }
    }

    /// The one that was parked, or one that is launched now.
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
