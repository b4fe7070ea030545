internal import Glibc

/// Time that only goes forward and stands still while the machine is suspended, so that neither a set clock nor a
/// closed lid lets a deadline pass.
package enum MonotonicClock {
    /// Nanoseconds since some moment in the past.
    package static func now() -> UInt64 {
        var time = timespec()
        // SAFETY: the call writes one timespec. It cannot fail for this clock.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The moment a duration from now; never earlier than now, and `UInt64.max` where it would not fit.
    package static func deadline(after duration: Duration) -> UInt64 {
        let (sum, overflow) = now().addingReportingOverflow(nanoseconds(duration))
        return overflow ? .max : sum
    }

    /// Nanoseconds left until a moment; 0 when it has passed.
    package static func remaining(until deadline: UInt64) -> UInt64 {
        let now = now()
        return deadline > now ? deadline - now : 0
    }

    /// A duration in nanoseconds, between 0 and what fits.
    package static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carried) = scaled.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || carried ? .max : sum
    }
}

extension MonotonicClock {
    /// Blocks the caller's thread for a moment, for who waits for something that nobody tells.
    package static func pause() {
        usleep(1000)
    }
}
