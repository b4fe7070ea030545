internal import CAnnexLinux

/// A 32-bit word in shared memory whose only writer is this side.
@safe package struct WritableWord: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the word behind it is reached by atomics only.
    @usableFromInline nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    /// The word must stay mapped, and nobody else may store to it, for as long as this value is used.
    @inlinable package init(_ address: UnsafeMutablePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Publishes: whoever acquires this value sees everything that was written before.
    @inlinable package func storeRelease(_ value: UInt32) {
        unsafe annex_store_release(address, value)
    }

    @inlinable package func storeRelaxed(_ value: UInt32) {
        unsafe annex_store_relaxed(address, value)
    }

    /// Wakes threads that sleep on the word. A peer can make this fail (a waiter of another kind on the word): that
    /// harms nobody but itself, so the number is for counting only.
    /// - Parameter most: how many threads are woken at most. A host passes 1 for a word that only its extension sleeps
    ///   on: an honest extension has one sleeper there, and a hostile one could make each message as dear as it has
    ///   threads.
    /// - Returns: how many woke; a negative errno if the peer's conduct made it fail.
    @discardableResult
    package func wake(atMost most: Int32 = .max) -> Int32 {
        unsafe annex_futex_wake(address, most)
    }
}
