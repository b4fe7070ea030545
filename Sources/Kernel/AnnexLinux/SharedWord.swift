internal import CAnnexLinux
internal import Glibc

/// A 32-bit word in shared memory that this side only reads. The peer writes it and can store any value.
@safe package struct SharedWord: Sendable {
    // SAFETY: an address is not Sendable by itself. This one is set once, and only atomic operations read the word
    // behind it.
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

/// A 32-bit word in shared memory that only this side writes.
@safe package struct WritableWord: Sendable {
    // SAFETY: an address is not Sendable by itself. This one is set once, and only atomic operations access the word
    // behind it.
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

    /// Wakes threads that sleep on the word. A peer can make the call fail by waiting on the word in another way. That
    /// harms only the peer, so use the result for counting only.
    /// - Parameter most: the most threads to wake. A host passes 1 for a word on which only its extension sleeps. An
    ///   honest extension has one sleeper there; a hostile one could otherwise make each message cost as much as it has
    ///   threads.
    /// - Returns: how many threads woke; a negative errno if the peer made the call fail.
    @discardableResult
    package func wake(atMost most: Int32 = .max) -> Int32 {
        unsafe annex_futex_wake(address, most)
    }
}

/// A word in the peer's memory on which the peer sleeps. This side adds one to it to wake the peer, and never reads it.
///
/// Sleeping on read-only memory is slow: `FUTEX_WAIT` first asks for a writable page, and the kernel takes its slow
/// path twice. Sleeping on a word of the sleeper's own memory avoids that.
@safe package struct Bell: Sendable {
    // SAFETY: an address is not Sendable by itself. This one is set once, and only atomic operations change the word
    // behind it.
    private nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    /// The word must stay mapped, writable, for as long as this value is used.
    package init(_ address: UnsafeMutablePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Changes the word and wakes no thread.
    package func change() {
        // SYNC: everything that this thread stored before is visible to a thread that acquires the new value.
        unsafe annex_add_release(address, 1)
    }

    /// Wakes the thread that sleeps on the word, or is about to sleep with the word's former value.
    package func ring() {
        // SYNC: atomic, so that no late store of another thread gives the word a value that it had before.
        unsafe annex_add_release(address, 1)
        // Waking one thread is enough. An honest process has one thread asleep here; further sleepers only compete with
        // that thread.
        _ = unsafe annex_futex_wake(address, 1)
    }
}

/// How a sleep on a shared word ended. None of the cases promises that the word changed, so the sleeper must read it
/// again.
package enum FutexWait: Sendable, Hashable {
    case woken
    /// The word did not have the expected value any more.
    case changed
    case timedOut
    case interrupted
    /// The kernel refused to sleep. Only misuse of the word by the peer causes that.
    case failed(Int32)

    init(_ result: Int32) {
        switch -result {
        case 0: self = .woken
        case EAGAIN: self = .changed
        case ETIMEDOUT: self = .timedOut
        case EINTR: self = .interrupted
        default: self = .failed(-result)
        }
    }
}

/// A 32-bit word of this process alone, on which its threads sleep. It is 0 at first, and freed at this value's end.
@safe struct PrivateWord: ~Copyable, Sendable {
    // SAFETY: an address is not Sendable by itself. This one is set once, and only atomic operations reach the word behind
    // it.
    nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    init() {
        unsafe address = .allocate(capacity: 1)
        unsafe address.initialize(to: 0)
    }

    deinit {
        unsafe address.deallocate()
    }
}
