internal import CAnnexLinux

/// A word in the peer's memory that the peer sleeps on: this side counts in it whenever it wakes the peer, and reads it
/// never.
///
/// Sleeping on memory that can only be read takes the kernel's slow way twice (`FUTEX_WAIT` asks for the page to write
/// first); on a word of the sleeper's own it does not.
@safe package struct Bell: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the word behind it is changed by atomics only.
    private nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    /// The word must stay mapped, writable, for as long as this value is used.
    package init(_ address: UnsafeMutablePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Wakes whoever sleeps on the word, or is about to with the value that it had.
    package func ring() {
        // SYNC: atomic, so that no late store of another thread gives the word a value that it had before.
        unsafe annex_add_release(address, 1)
        // One is enough: no more than one honest thread sleeps here, and a false one takes the turn of its own process.
        _ = unsafe annex_futex_wake(address, 1)
    }
}
