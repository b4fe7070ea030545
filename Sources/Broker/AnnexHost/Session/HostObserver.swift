package import AnnexBrokerAPI
package import AnnexModel

/// Observes what a host does with its extensions. It is called on the task or thread that makes the request.
package protocol HostObserver: Sendable {
    /// An extension was launched; the returned observer gets the events of its session.
    func launching(_ identifier: String) -> any SessionObserver
    /// The broker did not launch the extension.
    func refused(_ identifier: String, _ error: BrokerError)
}

/// Observes one session. Any thread may call it, and it must not block.
package protocol SessionObserver: Sendable {
    func ready(_ report: LaunchReport)
    /// Called at most once, after everything else except the ends of requests.
    func ended(_ termination: Termination)
    /// A request begins.
    /// - Returns: a closure that is called at the request's end, with the error or with nil if it was answered.
    func requesting() -> @Sendable (HostError?) -> Void
}
