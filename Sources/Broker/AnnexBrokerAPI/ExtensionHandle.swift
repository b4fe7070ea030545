package import AnnexModel

/// A running extension as its host holds it: the host sees the channel, so it tells the broker what happens there.
package protocol ExtensionHandle: AnyObject, Sendable {
    /// The extension's hello arrived.
    func saidHello()
    /// A request was sent; its time limit runs from the moment at which no older one is open.
    /// - Parameter request: a number that no other request to this extension has.
    func requestBegan(_ request: UInt64)
    /// It was answered, cancelled or given up.
    func requestEnded(_ request: UInt64)
    /// A call that the broker was not told of has lasted longer than a request may.
    func overstayed()
    /// It answered a `ping`.
    func gaveSign()
    /// The host has passed a `ping` on. Until it says so, the extension's silence is no evidence against the extension.
    func passedPingOn()
    /// It began something that it would like to end before it is ended.
    /// - Parameter reason: its own words for it.
    func activityBegan(_ reason: String)
    func activityEnded()
    /// The extension broke the channel's rules or budget.
    func violated(_ violation: ProtocolViolation)
    /// The extension's end of the channel is closed: it has ended, or nobody will hear of it any more.
    func channelClosed()
    /// Nobody needs it yet: it was started ahead, and its place is anyone's who finds none.
    func park()
    /// A parked one is needed.
    /// - Returns: false where its place was given to another: then it ends.
    func claim() -> Bool
    /// `claim` for a task: suspends if a daemon is asked.
    nonisolated(nonsending) func askedClaim() async -> Bool
    /// The host needs it no longer.
    /// - Parameter completed: whether it answered; otherwise it was cancelled.
    func dismiss(completed: Bool)
    /// What went through its channel so far, for a broker that does not see the host's end of it.
    func counted(_ counts: SessionStatistics)
}

extension ExtensionHandle {
    /// Who sees that end reads its counts there.
    package func counted(_ counts: SessionStatistics) {}

    /// A broker in the host's own process is asked by a call.
    package nonisolated(nonsending) func askedClaim() async -> Bool { claim() }

    /// A host in the broker's process passes it on at once.
    package func passedPingOn() {}
}
