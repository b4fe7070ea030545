package import AnnexChannel
internal import AnnexModel

/// The host's end of an extension's channel, where what goes through it is counted.
package enum HostEnd: Sendable {
    /// In this process.
    case own(HostEndpoint)
    /// In a client's process, which publishes its counts under this number, as it says; nil where that process cannot be
    /// looked at.
    case remote(ProcessIdentity?, counters: UInt64)

    /// Whether the host is this process.
    var isOwn: Bool {
        if case .own = self { true } else { false }
    }

    /// The host's process, for a log; nil where it is this one or cannot be looked at.
    var process: Int32? {
        if case .remote(let identity, _) = self { identity?.process } else { nil }
    }

    /// What went through the channel; nil where that is counted elsewhere.
    var counts: SessionStatistics? {
        if case .own(let channel) = self { SessionStatistics(channel.counters) } else { nil }
    }
}
