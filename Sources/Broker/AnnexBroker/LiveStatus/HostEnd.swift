package import AnnexChannel
internal import AnnexModel

/// The host's end of an extension's channel, which counts messages and bytes.
package enum HostEnd: Sendable {
    /// The end is in this process.
    case own(HostEndpoint)
    /// The host's process holds this end. The host says that it publishes its counts under this number. The identity
    /// is nil if that process cannot be inspected.
    case remote(ProcessIdentity?, counters: UInt64)

    /// Whether the host is this process.
    var isOwn: Bool {
        if case .own = self { true } else { false }
    }

    /// The host's process for the log; nil if it is this process or cannot be inspected.
    var process: Int32? {
        if case .remote(let identity, _) = self { identity?.process } else { nil }
    }

    /// The counts of the channel; nil if another process counts.
    var counts: SessionStatistics? {
        if case .own(let channel) = self { SessionStatistics(channel.counters) } else { nil }
    }
}
