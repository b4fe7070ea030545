internal import AnnexLinux

extension Duration {
    /// Whole nanoseconds; what is less than none or does not fit is the nearest that does.
    var wireNanoseconds: UInt64 { MonotonicClock.nanoseconds(self) }

    init(wire nanoseconds: UInt64) {
        self = .nanoseconds(Int64(clamping: nanoseconds))
    }
}
