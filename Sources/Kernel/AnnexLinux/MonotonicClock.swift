internal import Glibc

/// A clock that never goes back, and stands still while the machine is suspended. Deadlines therefore do not pass when
/// the clock is set or a laptop is closed.
package enum MonotonicClock {
    /// Nanoseconds since an unspecified moment in the past.
    package static func now() -> UInt64 {
        var time = timespec()
        // SAFETY: the call writes one timespec. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The moment that lies a duration in the future. Never earlier than now; `UInt64.max` if it would overflow.
    package static func deadline(after duration: Duration) -> UInt64 {
        let (sum, overflow) = now().addingReportingOverflow(nanoseconds(duration))
        return overflow ? .max : sum
    }

    /// Nanoseconds left until a moment; 0 when it has passed.
    package static func remaining(until deadline: UInt64) -> UInt64 {
        let now = now()
        return deadline > now ? deadline - now : 0
    }

    /// A duration in nanoseconds; 0 if it is negative, the largest number if it is too long.
    package static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = scaled.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || carried ? .max : sum
    }
}

extension MonotonicClock {
    /// Blocks the calling thread for a moment. For code that polls for something without a notification.
    package static func pause() {
        usleep(1000)
    }
}
