internal import CAnnexLinux
internal import Synchronization

/// One lock of a `LockPair`, and what it guards. Used as a `Mutex` is; the pair outlives every copy of this value.
///
/// A futex lock of the usual kind (U. Drepper, "Futexes Are Tricky"), whose bits share a word with the other's.
///
/// SAFETY: the value is touched by whoever holds the lock, and by nobody else.
@safe struct HalfLock<Value: ~Copyable & Sendable>: @unchecked Sendable {
    private let word: UnsafeMutablePointer<Atomic<UInt32>>
    private let value: UnsafeMutablePointer<Value>
    private let held: UInt32
    /// Somebody sleeps until it is let go of, or did and does not know who else does.
    private let waited: UInt32
    let owner: LockOwner
    /// How often a thread looks before it sleeps: what a lock guards takes less than a wake-up.
    private static var looks: Int { 100 }

    init(
        _ word: UnsafeMutablePointer<Atomic<UInt32>>, _ value: UnsafeMutablePointer<Value>, held: UInt32,
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
        owner.willTake()
        if !lockIfAvailable() { lockSlowly() }
        owner.didTake()
    }

    /// Never ahead of somebody who sleeps for it.
    ///
    /// SYNC: this may fail where nobody holds the lock, on `waited` alone: the last holder has let go and not yet woken.
    /// Who stored a wish before it failed may leave it to that holder all the same: it clears the bit before it returns
    /// from `unlock`, and looks for wishes after that.
    @inline(__always) func lockIfAvailable() -> Bool {
        var seen: UInt32 = 0
        while true {
            // SYNC: acquires what the last holder released.
            let (exchanged, now) = unsafe word.pointee.compareExchange(
                expected: seen, desired: seen | held, successOrdering: .acquiring, failureOrdering: .relaxed)
            if exchanged {
                owner.didTake()
                return true
            }
            if now & (held | waited) != 0 { return false }
            seen = now
        }
    }

    /// An atomic read-modify-write: with `annex_fence_after_atomic` behind it, a fence.
    @inline(__always) func unlock() {
        owner.willLetGo()
        // SYNC: releases what this holder wrote.
        let (before, _) = unsafe word.pointee.wrappingSubtract(held, ordering: .sequentiallyConsistent)
        wakeIfWaited(before)
    }

    /// What is owed after the word, which was this before, no longer says that the lock is held.
    @inline(__always) func wakeIfWaited(_ before: UInt32) {
        if before & waited != 0 { wakeOne() }
    }

    @inline(never) private func lockSlowly() {
        var looks = 0
        while true {
            let seen = unsafe word.pointee.load(ordering: .relaxed)
            if seen & held == 0 {
                // Whoever has slept does not know whether others still do. SYNC: as in `lockIfAvailable`.
                let taken = looks < Self.looks ? held : held | waited
                if unsafe word.pointee.compareExchange(
                    expected: seen, desired: seen | taken, successOrdering: .acquiring, failureOrdering: .relaxed
                ).exchanged {
                    return
                }
            } else if looks < Self.looks {
                looks += 1
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
        // SAFETY: as above.
        unsafe annex_unpark(UnsafeRawPointer(word).assumingMemoryBound(to: UInt32.self), held)
    }
}

/// Which thread holds a lock. Kept in debug builds only, and free in others: a thread that locks what it holds already
/// is stopped with a word, instead of waiting for itself for ever.
///
/// SAFETY: an address is not Sendable by itself; set once, and the word behind it is reached by atomics only.
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

        /// The calling thread is about to wait for the lock.
        @inline(__always) func willTake() {
            // SYNC: only the thread itself can find its own mark here, and it stored it itself.
            let isOwn = unsafe mark.pointee.load(ordering: .relaxed) == annex_thread_current()
            precondition(!isOwn, "a thread that holds a lock of the channel waits for the same lock")
        }

        @inline(__always) func didTake() {
            unsafe mark.pointee.store(annex_thread_current(), ordering: .relaxed)
        }

        @inline(__always) func willLetGo() {
            unsafe mark.pointee.store(0, ordering: .relaxed)
        }
    #else
        @inline(__always) func end() {}
        @inline(__always) func willTake() {}
        @inline(__always) func didTake() {}
        @inline(__always) func willLetGo() {}
    #endif
}
