internal import CAnnexLinux

/// A 32-bit word in shared memory that only this side writes.
@safe package struct WritableWord: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the word behind it is reached by atomics only.
    @usableFromInline nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    /// For as long as this value is used, the word must stay mapped and no other code may store to it.
    @inlinable package init(_ address: UnsafeMutablePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Publishes a value. A thread that acquires it sees everything that was written before.
    @inlinable package func storeRelease(_ value: UInt32) {
        unsafe annex_store_release(address, value)
    }

    @inlinable package func storeRelaxed(_ value: UInt32) {
        unsafe annex_store_relaxed(address, value)
    }

    /// Wakes threads that sleep on the word. A peer can make the call fail by waiting on the word in another way. Only
    /// the peer is harmed by that, so use the result for counting only.
    /// - Parameter most: the most threads to wake. A host passes 1 for a word on which only its extension sleeps. An
    ///   honest extension has one sleeper there; a hostile one could otherwise make each message cost as much as it has
    ///   threads.
    /// - Returns: how many threads woke; a negative errno if the peer made the call fail.
    @discardableResult
    package func wake(atMost most: Int32 = .max) -> Int32 {
        unsafe annex_futex_wake(address, most)
    }
}
