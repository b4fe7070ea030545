package import AnnexModel

/// One packet from a host to a daemon.
package enum HostPacket: Sendable, Hashable {
    /// The first packet on every connection: the versions that the host supports.
    case hello(versions: ClosedRange<UInt64>)
    /// A request to the daemon. The numbers rise, and the answer carries the request's number.
    case request(UInt64, ServiceRequest)
    /// A report about a launched extension, with the number of the request that launched it, and the counts of its
    /// channel until then.
    case notice(UInt64, ExtensionNotice, counts: SessionStatistics)
}
