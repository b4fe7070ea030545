internal import Synchronization

/// A count that one thread at a time adds to, under some lock, and any thread reads.
struct Counter: ~Copyable, Sendable {
    private let value = Atomic<UInt64>(0)

    /// SYNC: writers exclude each other by the lock they hold, so a load and a store do; no order is promised to
    /// readers.
    func add(_ count: UInt64 = 1) {
        value.store(value.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    var now: UInt64 { value.load(ordering: .relaxed) }
}
