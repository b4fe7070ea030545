internal import CAnnexLinux
internal import Synchronization

/// One lock of a `LockPair` and the value that it guards, with the interface of a `Mutex`. The pair outlives every copy
/// of this value.
///
/// This is a usual futex lock (U. Drepper, "Futexes Are Tricky"). The bits of this lock share a word with the bits of
/// the pair's other lock.
///
/// SAFETY: only the thread that holds the lock touches the value.
@safe struct HalfLock<Value: ~Copyable & Sendable>: @unchecked Sendable {
    private let word: UnsafeMutablePointer<Atomic<UInt32>>
    private let value: UnsafeMutablePointer<Value>
    private let held: UInt32
    /// The bit that is set while a thread may be asleep because it waits for the lock. A thread that takes the lock
    /// after a sleep sets the bit again, because other threads may still sleep.
    private let waited: UInt32
    let owner: LockOwner
    /// How often a thread checks the lock before it sleeps. The work under the lock is shorter than a wake-up, so the
    /// lock is usually free soon.
    private static var mostPolls: Int { 100 }

    init(
        word: UnsafeMutablePointer<Atomic<UInt32>>, value: UnsafeMutablePointer<Value>, held: UInt32,
        owner: LockOwner
    ) {
        unsafe self.word = word
        unsafe self.value = value
        self.held = held
        self.owner = owner
        waited = held << 16
    }

    @inline(__always) func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try unsafe body(&value.pointee)
    }

    @inline(__always) func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard lockIfAvailable() else { return nil }
        defer { unlock() }
        return try unsafe body(&value.pointee)
    }

    @inline(__always) func lock() {
        owner.willAcquire()
        if !lockIfAvailable() { lockSlowly() }
        owner.didAcquire()
    }

    /// Takes the lock if the lock is free and no thread sleeps while waiting for it.
    ///
    /// SYNC: this may fail although no thread holds the lock. In that case only `waited` is set: the last holder has
    /// unlocked, but has not yet woken a sleeper. If a thread stored a request for the holder before this call failed
    /// (see `RingLeader.pumpSoon`), the last holder still finds the request. The holder clears the bit before it
    /// returns from `unlock`, and checks for requests after that.
    @inline(__always) func lockIfAvailable() -> Bool {
        var seen: UInt32 = 0
        while true {
            // SYNC: acquires the last holder's writes.
            let (exchanged, now) = unsafe word.pointee.compareExchange(
                expected: seen, desired: seen | held, successOrdering: .acquiring, failureOrdering: .relaxed)
            if exchanged {
                owner.didAcquire()
                return true
            }
            if now & (held | waited) != 0 { return false }
            seen = now
        }
    }

    /// Releases the lock with an atomic read-modify-write. This operation and a following `annex_fence_after_atomic`
    /// together form a full fence.
    @inline(__always) func unlock() {
        owner.willLetGo()
        // SYNC: releases this holder's writes.
        let (before, _) = unsafe word.pointee.wrappingSubtract(held, ordering: .sequentiallyConsistent)
        wakeIfWaited(before)
    }

    /// Wakes a sleeper, if there is one, after the lock was released.
    /// - Parameter before: the word's value before the release.
    @inline(__always) func wakeIfWaited(_ before: UInt32) {
        if before & waited != 0 { wakeOne() }
    }

    @inline(never) private func lockSlowly() {
        var polls = 0
        while true {
            let seen = unsafe word.pointee.load(ordering: .relaxed)
            if seen & held == 0 {
                // A thread that has slept does not know whether other threads still sleep, so it sets `waited` again.
                // SYNC: as in `lockIfAvailable`.
                let taken = polls < Self.mostPolls ? held : held | waited
                if unsafe word.pointee.compareExchange(
                    expected: seen, desired: seen | taken, successOrdering: .acquiring, failureOrdering: .relaxed
                ).exchanged {
                    return
                }
            } else if polls < Self.mostPolls {
                polls += 1
                annex_pause()
            } else {
                sleep(while: seen)
            }
        }
    }

    private func sleep(while seen: UInt32) {
        if seen & waited == 0 {
            let marked = unsafe word.pointee.compareExchange(
                expected: seen, desired: seen | waited, ordering: .relaxed)
            guard marked.exchanged else { return }
        }
        // SAFETY: the word is aligned and lives as long as the pair; the kernel only compares it.
        unsafe annex_park(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), seen | waited, held)
    }

    @inline(never) private func wakeOne() {
        unsafe word.pointee.bitwiseAnd(~waited, ordering: .relaxed)
        // SAFETY: the word is aligned and lives as long as the pair.
        unsafe annex_unpark(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), held)
    }
}

/// The thread that holds a lock, recorded only in debug builds. In a debug build, a thread that takes a lock twice
/// traps with a message. Without this record, the thread would wait for itself forever.
///
/// SAFETY: an address is not Sendable by itself. This address is set once, and its word is accessed only atomically.
@safe struct LockOwner: @unchecked Sendable {
    #if DEBUG
        private let mark: UnsafeMutablePointer<Atomic<UInt64>>

        init() {
            unsafe mark = .allocate(capacity: 1)
            unsafe mark.initialize(to: Atomic(0))
        }

        func end() {
            unsafe mark.deinitialize(count: 1)
            unsafe mark.deallocate()
        }

        /// Traps if the calling thread is about to wait for a lock that it holds.
        @inline(__always) func willAcquire() {
            // SYNC: relaxed. A thread looks only for its own mark, and no other thread stores this mark.
            let isOwn = unsafe mark.pointee.load(ordering: .relaxed) == annex_thread_current()
            precondition(!isOwn, "a thread that holds a lock of the channel waits for the same lock")
        }

        @inline(__always) func didAcquire() {
            unsafe mark.pointee.store(annex_thread_current(), ordering: .relaxed)
        }

        @inline(__always) func willLetGo() {
            unsafe mark.pointee.store(0, ordering: .relaxed)
        }
    #else
        @inline(__always) func end() {}
        @inline(__always) func willAcquire() {}
        @inline(__always) func didAcquire() {}
        @inline(__always) func willLetGo() {}
    #endif
}
