/// One packet from a daemon to a host.
package enum DaemonPacket: Sendable {
    /// The answer to a hello: the version that both speak from here on.
    case welcome(version: UInt64)
    /// This connection is over, and why.
    case refused(BrokerError)
    /// The daemon goes down: nothing can be launched any more, and every extension's end follows.
    case leaving
    case answer(UInt64, ServiceAnswer)
    /// What became of an extension, by the number of the request that launched it.
    case event(UInt64, ExtensionEvent)
}
