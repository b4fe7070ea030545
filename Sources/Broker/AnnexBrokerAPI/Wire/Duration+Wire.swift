internal import AnnexLinux

extension Duration {
    /// The duration in whole nanoseconds, clamped to what the field can hold; a negative one becomes 0.
    var wireNanoseconds: UInt64 { MonotonicClock.nanoseconds(self) }

    init(wire nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
