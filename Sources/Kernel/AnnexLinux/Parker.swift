internal import CAnnexLinux

/// Lets one thread sleep until another unparks it. An unpark that comes before the sleep is kept.
@safe package final class Parker: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, freed by this object's end, and reached by atomics only.
    private nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    package init() {
        unsafe address = .allocate(capacity: 1)
        unsafe address.initialize(to: 0)
    }

    deinit {
        unsafe address.deallocate()
    }

    /// Sleeps until unparked, or until `deadline` of `MonotonicClock`. It may also return early without either.
    package func park(until deadline: UInt64?) {
        // SAFETY: the word lives as long as this object.
        let word = unsafe SharedWord(UnsafePointer(address))
        // SYNC: acquires what the unparking thread did before its release store.
        if word.loadAcquire() == 0 { _ = word.wait(while: 0, until: deadline) }
        unsafe WritableWord(address).storeRelaxed(0)
    }

    package func unpark() {
        // SAFETY: as above.
        let word = unsafe WritableWord(address)
        word.storeRelease(1)
        word.wake()
    }
}
