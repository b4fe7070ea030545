internal import CAnnexLinux

/// A word in the peer's memory on which the peer sleeps. This side adds one to it to wake the peer, and never reads it.
///
/// Sleeping on read-only memory is slow: `FUTEX_WAIT` first asks for a writable page, and the kernel takes its slow
/// path twice. Sleeping on a word of the sleeper's own memory avoids that.
@safe package struct Bell: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the word behind it is changed by atomics only.
    private nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    /// The word must stay mapped, writable, for as long as this value is used.
    package init(_ address: UnsafeMutablePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Wakes the thread that sleeps on the word, or is about to sleep with the word's former value.
    package func ring() {
        // SYNC: atomic, so that no late store of another thread gives the word a value that it had before.
        unsafe annex_add_release(address, 1)
        // One is enough. An honest process has one thread asleep here; further sleepers only compete with that thread.
        _ = unsafe annex_futex_wake(address, 1)
    }
}
