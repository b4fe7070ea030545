/// One packet from a daemon to a host.
package enum DaemonPacket: Sendable {
    /// The answer to a hello: the version that both sides use from now on.
    case welcome(version: UInt64)
    /// The daemon ends this connection for the given reason.
    case refused(BrokerError)
    /// The daemon is shutting down. It launches nothing more, and the end of every extension follows.
    case leaving
    case answer(UInt64, ServiceAnswer)
    /// An event of an extension, with the number of the request that launched it.
    case event(UInt64, ExtensionEvent)
}

/// A daemon's answer to one request.
package enum ServiceAnswer: Sendable, Hashable {
    case done
    /// - Parameter isAll: true if no extension follows after the last of these.
    case extensions([InstalledExtension], isAll: Bool)
    case terms(SessionTerms)
    /// - Parameter isYours: whether the parked extension still had its slot, and is the host's now.
    case claimed(isYours: Bool)
    case failed(BrokerError)
}
