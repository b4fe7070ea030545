package import AnnexBrokerAPI
package import AnnexModel

/// Told of what a host does with its extensions, where it does it: on the task or thread that asks.
package protocol HostObserver: Sendable {
    /// Somebody wants an extension to run.
    func launching(_ identifier: String) -> any SessionObserver
    /// It was not launched.
    func refused(_ identifier: String, _ error: BrokerError)
}

/// Told of one session. May be called on any thread and must not block.
package protocol SessionObserver: Sendable {
    func ready(_ report: LaunchReport)
    /// At most once, after everything else but the ends of requests.
    func ended(_ termination: Termination)
    /// A request begins.
    /// - Returns: what is told of its end; nil: it was answered.
    func requesting() -> @Sendable (HostError?) -> Void
}
