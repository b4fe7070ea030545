internal import CAnnexLinux
internal import Glibc

/// A 32-bit word in shared memory that this side only reads. The peer writes it and can store any value.
@safe package struct SharedWord: Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and only atomic operations read the word
    // behind it.
    @usableFromInline nonisolated(unsafe) let address: UnsafePointer<UInt32>

    /// The word must stay mapped for as long as this value is used.
    @inlinable package init(_ address: UnsafePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Reads the word once. Afterwards, everything that the peer wrote before its release store is visible.
    @inlinable package func loadAcquire() -> UInt32 {
        unsafe annex_load_acquire(address)
    }

    @inlinable package func loadRelaxed() -> UInt32 {
        unsafe annex_load_relaxed(address)
    }

    /// Sleeps while the word is `expected`, at most until `deadline` of `MonotonicClock` (nil: without limit). The
    /// call works on a read-only mapping.
    package func wait(while expected: UInt32, until deadline: UInt64?) -> FutexWait {
        var limit: Int64 = -1
        if let deadline { limit = Int64(clamping: MonotonicClock.remaining(until: deadline)) }
        return unsafe FutexWait(annex_futex_wait(address, expected, limit))
    }

    /// Wakes all threads of this process and of the peer that sleep on the word. A read-only mapping is sufficient.
    package func wakeSleepers() {
        _ = unsafe annex_futex_wake(address, .max)
    }
}

/// A 32-bit word in shared memory that only this side writes.
@safe package struct WritableWord: Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and only atomic operations access the
    // word behind it.
    @usableFromInline nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    /// For as long as this value is used, the word must stay mapped and no other code may store to it.
    @inlinable package init(_ address: UnsafeMutablePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Publishes a value. A thread that acquires the value sees everything that this thread wrote before.
    @inlinable package func storeRelease(_ value: UInt32) {
        unsafe annex_store_release(address, value)
    }

    @inlinable package func storeRelaxed(_ value: UInt32) {
        unsafe annex_store_relaxed(address, value)
    }

    /// Wakes threads that sleep on the word. A peer can make the call fail by waiting on the word in another way. The
    /// failure harms only the peer, so use the result only for counting.
    /// - Parameter most: the maximum number of threads to wake. A host passes 1 for a word on which only its
    ///   extension sleeps. In an honest extension, one thread sleeps on the word. A hostile extension with many
    ///   sleeping threads could otherwise make each message expensive.
    /// - Returns: the number of threads that woke, or a negative errno if the peer made the call fail.
    @discardableResult
    package func wake(atMost most: Int32 = .max) -> Int32 {
        unsafe annex_futex_wake(address, most)
    }
}

/// A word in the peer's memory on which the peer sleeps. This side adds 1 to the word to wake the peer, and never reads
/// the word.
///
/// Sleeping on read-only memory is slow: `FUTEX_WAIT` first asks for a writable page, and the kernel takes its slow
/// path twice. If the peer sleeps on a word in its own, writable memory, both delays are avoided.
@safe package struct Bell: Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and only atomic operations change the
    // word behind it.
    private nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    /// The word must stay mapped and writable for as long as this value is used.
    package init(_ address: UnsafeMutablePointer<UInt32>) {
        unsafe self.address = unsafe address
    }

    /// Changes the word and wakes no thread.
    package func change() {
        // SYNC: everything that this thread stored before is visible to a thread that acquires the new value.
        unsafe annex_add_release(address, 1)
    }

    /// Wakes the thread that sleeps on the word. If a thread has read the word's old value and is about to sleep, the
    /// kernel does not let it sleep.
    package func ring() {
        // SYNC: the addition is atomic. With a load and a separate store, a slow thread could give the word an earlier
        // value.
        unsafe annex_add_release(address, 1)
        // Waking one thread is enough. In an honest process, one thread sleeps here. Further sleeping threads only
        // compete with that thread.
        _ = unsafe annex_futex_wake(address, 1)
    }
}

/// How a sleep on a shared word ended. None of the cases guarantees that the word changed, so the thread must read the
/// word again.
package enum FutexWait: Sendable, Hashable {
    case woken
    /// The word no longer had the expected value.
    case changed
    case timedOut
    case interrupted
    /// The kernel did not let the thread sleep. This happens only if the peer misuses the word.
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

/// A 32-bit word in this process's private memory, on which its threads sleep. The word is 0 at first. The word is
/// freed when this value ends.
@safe struct PrivateWord: ~Copyable, Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and only atomic operations reach the word
    // behind it.
    nonisolated(unsafe) let address: UnsafeMutablePointer<UInt32>

    init() {
        unsafe address = .allocate(capacity: 1)
        unsafe address.initialize(to: 0)
    }

    deinit {
        unsafe address.deallocate()
    }
}
