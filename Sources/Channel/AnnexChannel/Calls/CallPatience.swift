internal import AnnexLinux

/// How long a caller waits at most without telling the extension so. Kept in nanoseconds: turning a `Duration` into them
/// costs a noticeable part of a call.
public struct CallPatience: Sendable, Hashable {
    let nanoseconds: UInt64

    /// - Parameter duration: less than zero counts as zero.
    public init(_ duration: Duration) {
        nanoseconds = MonotonicClock.nanoseconds(duration)
    }
}
