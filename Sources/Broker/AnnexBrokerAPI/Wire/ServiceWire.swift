package import AnnexChannel

/// Numbers that a host and a daemon must agree on. `Docs/Guide/Daemon.md` says the same in words.
package enum ServiceWire {
    /// The versions that this library speaks. The last is raised with every change of meaning; the first where an older
    /// peer is no longer understood. A host says its own, and the daemon chooses the highest that both have.
    package static let versions: ClosedRange<UInt64> = 3...4
    /// From this version on a host says that it has passed a ping on.
    package static let firstWithPings: UInt64 = 4
    /// From this version on a daemon checks the extension point that a host expects.
    package static let firstWithPoints: UInt64 = 4

    /// What two peers speak with each other; nil where they have no version in common.
    package static func common(with others: ClosedRange<UInt64>) -> UInt64? {
        versions.overlaps(others) ? min(versions.upperBound, others.upperBound) : nil
    }

    /// What a host's packet may be: names, a reason in words, never more.
    package static let fromHost = MessageLimits(bytes: 8 << 10, fields: 16, depth: 1)
    /// What a daemon's packet may be: one app's extensions or one end with all that is known of it.
    package static let fromDaemon = MessageLimits(bytes: 128 << 10, fields: 8_192, depth: 8)

    /// Longest identifier, name or reason in a host's packet, in bytes.
    package static let longestText = 4 << 10
    /// Requests of one extension that a daemon takes for open at once. A host says the next one as one of them ends.
    package static let mostOpenRequests = 1_024
    /// The descriptors of one launch: control socket, the host's region, the extension's.
    package static let launchDescriptors = 3
}
