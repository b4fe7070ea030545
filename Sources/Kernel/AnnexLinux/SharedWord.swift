internal import CAnnexLinux

/// A 32-bit word in shared memory that this side only reads. The peer writes it and can store any value.
@safe package struct SharedWord: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the word behind it is read by atomics only.
    @usableFromInline nonisolated(unsafe) let address: UnsafePointer<UInt32>

    /// The word must stay mapped for as long as this value is used.
    @inlinable package init(_ address: UnsafePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Reads the word once. Everything that the peer wrote before its release store is visible afterwards.
    @inlinable package func loadAcquire() -> UInt32 {
        unsafe annex_load_acquire(address)
    }

    @inlinable package func loadRelaxed() -> UInt32 {
        unsafe annex_load_relaxed(address)
    }

    /// Sleeps while the word is `expected`, at most until `deadline` of `MonotonicClock` (nil: without limit). Works on
    /// a read-only mapping.
    package func wait(while expected: UInt32, until deadline: UInt64?) -> FutexWait {
        var limit: Int64 = -1
        if let deadline { limit = Int64(clamping: MonotonicClock.remaining(until: deadline)) }
        return unsafe FutexWait(annex_futex_wait(address, expected, limit))
    }

    /// Wakes all threads that sleep on the word: this process's own, and the peer's. A read-only mapping suffices.
    package func wakeSleepers() {
        _ = unsafe annex_futex_wake(address, .max)
    }
}
