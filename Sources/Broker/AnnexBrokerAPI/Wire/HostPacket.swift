package import AnnexModel

/// One packet from a host to a daemon.
package enum HostPacket: Sendable, Hashable {
    /// The first on every connection: the versions that the host speaks.
    case hello(versions: ClosedRange<UInt64>)
    /// Asks for something; numbers rise, and the answer names this one.
    case request(UInt64, ServiceRequest)
    /// Says what happened to a launched extension, by the number of the request that launched it, and what went through
    /// its channel until then.
    case notice(UInt64, ExtensionNotice, counts: SessionStatistics)
}
