internal import Synchronization

/// A count that one thread at a time adds to, under some lock, and anybody reads, other processes too.
@safe struct Counter: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the slot that owns it outlives this value.
    private nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt64>>

    init(_ word: UnsafeMutablePointer<Atomic<UInt64>>) {
        unsafe self.word = word
    }

    /// SYNC: writers exclude each other by the lock they hold, so a load and a store do; no order is promised to
    /// readers.
    func add(_ count: UInt64 = 1) {
        // SAFETY: the word is aligned and lives as long as the slot.
        unsafe word.pointee.store(word.pointee.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    var now: UInt64 { unsafe word.pointee.load(ordering: .relaxed) }
}
