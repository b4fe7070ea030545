internal import Glibc

/// A clock that never goes back, and that stops while the machine is suspended. Deadlines therefore do not pass because
/// the wall clock is set or a laptop is suspended.
package enum MonotonicClock {
    /// Nanoseconds since an unspecified moment in the past.
    package static func now() -> UInt64 {
        var time = timespec()
        // SAFETY: the call writes one timespec. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The time at which this duration, counted from a moment, is over. The result is never earlier than the moment. If
    /// the sum would overflow, the result is `UInt64.max`.
    package static func deadline(after duration: Duration, from moment: UInt64 = now()) -> UInt64 {
        let (sum, overflow) = moment.addingReportingOverflow(nanoseconds(duration))
        return overflow ? .max : sum
    }

    /// The nanoseconds left until the deadline, or 0 if the deadline has passed.
    package static func remaining(until deadline: UInt64) -> UInt64 {
        let now = now()
        return deadline > now ? deadline - now : 0
    }

    /// A duration in nanoseconds. A negative duration gives 0. A duration that is too long gives the largest number.
    package static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = scaled.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || carried ? .max : sum
    }
}

/// The processor time of the calling thread.
package enum ThreadClock {
    /// Nanoseconds since the thread's start.
    package static func now() -> UInt64 {
        var time = timespec()
        // SAFETY: the call writes one timespec. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

extension MonotonicClock {
    /// Blocks the calling thread for a millisecond. Use it in code that must poll because there is no notification.
    package static func pause() {
        usleep(1000)
    }
}

/// A date and time in UTC, to show to people and to write to files. Do not measure durations with it, because a user
/// can set this clock.
package struct WallClock: Sendable, Hashable, Comparable {
    /// Microseconds since the beginning of 1970.
    package let microseconds: Int64

    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    package static func now() -> WallClock {
        var time = timespec()
        // SAFETY: the call writes one timespec. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallClock(microseconds: Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1000)
    }

    package static func < (one: WallClock, other: WallClock) -> Bool { one.microseconds < other.microseconds }

    /// The time as text, for example `2026-11-22T06:58:34.012345Z`.
    package var text: String { written(between: "-", ":") }

    /// The time as text that can be part of a file's name, for example `20261122T065834.012345Z`. These texts sort in
    /// the order of time.
    package var compact: String { written(between: "", "") }

    private func written(between dates: String, _ times: String) -> String {
        let (days, rest) = Self.divided(microseconds, by: 86_400_000_000)
        let (year, month, day) = Self.date(days)
        let (seconds, fraction) = (rest / 1_000_000, rest % 1_000_000)
        let date = [Self.digits(year, 4), Self.digits(month), Self.digits(day)]
        let time = [Self.digits(seconds / 3600), Self.digits(seconds / 60 % 60), Self.digits(seconds % 60)]
        return date.joined(separator: dates) + "T" + time.joined(separator: times) + "."
            + Self.digits(fraction, 6) + "Z"
    }

    /// The date that lies `days` after the beginning of 1970. The calculation counts years from March, so that a leap
    /// day is the last day of its year. It also counts in spans of 400 years, because all such spans have the same
    /// number of days.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (span, day) = divided(days + 719_468, by: 146_097)
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNext = month >= 10
        return (
            span * 400 + year + (isNext ? 1 : 0), isNext ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    /// Divides and rounds towards the past, so that the rest is never negative.
    private static func divided(_ value: Int64, by unit: Int64) -> (whole: Int64, rest: Int64) {
        let rest = (value % unit + unit) % unit
        return ((value - rest) / unit, rest)
    }

    private static func digits(_ value: Int64, _ count: Int = 2) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
