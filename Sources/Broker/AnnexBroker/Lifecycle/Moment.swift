internal import AnnexLinux

/// A moment of a monotonic clock. Code that decides reads no clock: it gets the moments with its inputs.
struct Moment: Sendable, Hashable, Comparable {
    let nanoseconds: UInt64

    static var now: Moment { Moment(nanoseconds: MonotonicClock.now()) }

    static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    /// A sum that does not fit becomes the last moment of all, which never comes.
    static func + (moment: Moment, duration: Duration) -> Moment {
        let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(MonotonicClock.nanoseconds(duration))
        return Moment(nanoseconds: overflow ? .max : sum)
    }

    /// The time since an earlier moment.
    func since(_ earlier: Moment) -> Duration {
        .nanoseconds(Int64(clamping: nanoseconds - min(nanoseconds, earlier.nanoseconds)))
    }
}
