package import AnnexChannel

/// Versions and limits that a host and a daemon must agree on. `Docs/Guide/Daemon.md` describes them in words.
package enum ServiceWire {
    /// The versions of the protocol that this library supports. A host sends its range, and the daemon chooses the
    /// highest version that both support. Every change of meaning raises the upper bound; dropping support for old
    /// peers raises the lower bound.
    package static let versions: ClosedRange<UInt64> = 3...4
    /// From this version on, a host reports that it has passed a ping on.
    package static let firstWithPings: UInt64 = 4
    /// From this version on a daemon checks the extension point that a host expects.
    package static let firstWithPoints: UInt64 = 4

    /// The highest version that both peers support; nil if they have none in common.
    package static func common(with others: ClosedRange<UInt64>) -> UInt64? {
        versions.overlaps(others) ? min(versions.upperBound, others.upperBound) : nil
    }

    /// The limits of a host's packet, which carries names and short texts.
    package static let fromHost = MessageLimits(bytes: 8 << 10, fields: 16, depth: 1)
    /// The limits of a daemon's packet, which carries at most one app's extensions, or one end with all its details.
    package static let fromDaemon = MessageLimits(bytes: 128 << 10, fields: 8_192, depth: 8)

    /// The longest identifier, name or reason in a host's packet, in bytes.
    package static let longestText = 4 << 10
    /// The most requests of one extension that are open for the daemon at once. Beyond that, a host reports the next
    /// request when an earlier one ends.
    package static let mostOpenRequests = 1_024
    /// How many descriptors a launch hands over: the control socket, the host's region and the extension's region.
    package static let launchDescriptors = 3
}
