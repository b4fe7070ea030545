internal import Glibc

extension Descriptor {
    /// Blocks until reading gives something, or until a moment of `MonotonicClock`.
    package func waitUntilReadable(until deadline: UInt64) {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        let milliseconds = Int32(clamping: MonotonicClock.remaining(until: deadline) / 1_000_000 + 1)
        // SAFETY: one entry, written by the call alone.
        _ = unsafe poll(&entry, 1, milliseconds)
    }
}
