internal import Glibc

extension Descriptor {
    /// Blocks until the descriptor is readable or at its end, or until a moment of `MonotonicClock`.
    /// - Returns: whether it is readable.
    @discardableResult
    package func waitUntilReadable(until deadline: UInt64) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            let remaining = MonotonicClock.remaining(until: deadline)
            let left = Int32(clamping: remaining / 1_000_000 + (remaining % 1_000_000 == 0 ? 0 : 1))
            // SAFETY: one entry, written by the call alone.
            let found = unsafe poll(&entry, 1, left)
            if found > 0 { return true }
            // A signal handler may have interrupted the wait early.
            if found == 0 && left == 0 || found < 0 && errno != EINTR { return false }
        }
    }

    /// Whether the descriptor is readable, or becomes so before `patience` is over.
    package func isReadable(within patience: Duration = .zero) -> Bool {
        waitUntilReadable(until: MonotonicClock.deadline(after: patience))
    }
}
