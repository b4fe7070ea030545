internal import AnnexLinux

/// A moment of a clock that only goes forward. Who decides reads no clock: moments come with what happened.
struct Moment: Sendable, Hashable, Comparable {
    let nanoseconds: UInt64

    static var now: Moment { Moment(nanoseconds: MonotonicClock.now()) }

    static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    /// The last moment of all where it would not fit: what lasts so long has no end.
    static func + (moment: Moment, duration: Duration) -> Moment {
        let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(MonotonicClock.nanoseconds(duration))
        return Moment(nanoseconds: overflow ? .max : sum)
    }

    /// How long it is since an earlier moment.
    func since(_ earlier: Moment) -> Duration {
        .nanoseconds(Int64(clamping: nanoseconds - min(nanoseconds, earlier.nanoseconds)))
    }
}
