package import AnnexChannel
internal import AnnexModel

/// The host's end of an extension's channel, where what goes through it is counted.
package enum HostEnd: Sendable {
    /// In this process.
    case own(HostEndpoint)
    /// In a client's process, which publishes its counts under this number, as it says; nil where that process cannot be
    /// looked at.
    case remote(ProcessIdentity?, counters: UInt64)

    /// What went through the channel; nil where that is counted elsewhere.
    var counts: SessionStatistics? {
        if case .own(let channel) = self { SessionStatistics(channel.counters) } else { nil }
    }
}
