internal import Synchronization

/// Two locks in one word. If both locks are free, a thread that needs both takes them with one atomic instruction. The
/// thread can release each lock separately.
///
/// Two mutexes would need two atomic instructions and a fence after each. A thread that needs both locks takes the
/// first lock first. So a thread that holds the second lock must never wait for the first lock. Otherwise, two threads
/// could wait for each other.
///
/// SAFETY: addresses are not Sendable by themselves. The addresses here are set once, and only this value owns their
/// memory.
@safe struct LockPair<First: ~Copyable & Sendable, Second: ~Copyable & Sendable>: ~Copyable, @unchecked Sendable {
    private let word: UnsafeMutablePointer<Atomic<UInt32>>
    private let firstValue: UnsafeMutablePointer<First>
    private let secondValue: UnsafeMutablePointer<Second>
    let first: HalfLock<First>
    let second: HalfLock<Second>

    private static var firstHeld: UInt32 { 1 }
    private static var secondHeld: UInt32 { 2 }

    init(first: consuming First, second: consuming Second) {
        unsafe word = .allocate(capacity: 1)
        unsafe word.initialize(to: Atomic(0))
        unsafe firstValue = .allocate(capacity: 1)
        unsafe firstValue.initialize(to: first)
        unsafe secondValue = .allocate(capacity: 1)
        unsafe secondValue.initialize(to: second)
        self.first = unsafe HalfLock(word: word, value: firstValue, held: Self.firstHeld, owner: LockOwner())
        self.second = unsafe HalfLock(word: word, value: secondValue, held: Self.secondHeld, owner: LockOwner())
    }

    deinit {
        first.owner.end()
        second.owner.end()
        unsafe firstValue.deinitialize(count: 1)
        unsafe firstValue.deallocate()
        unsafe secondValue.deinitialize(count: 1)
        unsafe secondValue.deallocate()
        unsafe word.deinitialize(count: 1)
        unsafe word.deallocate()
    }

    /// The result of the work under both locks.
    enum Both<Middle, Result> {
        case done(Result)
        /// The work continues under the first lock.
        case goesOn(Middle)
    }

    /// Runs `both` under both locks, then `rest` under the first lock alone. If `both` finishes the work, one atomic
    /// instruction releases both locks.
    /// - Returns: nil if the first lock was not available.
    @inline(__always) func withBothIfAvailable<Middle, Result, Failure: Error>(
        _ both: (inout First, inout Second) throws(Failure) -> Both<Middle, Result>,
        then rest: (Middle, inout First) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard lockBothIfAvailable() else { return nil }
        let middle: Middle
        do throws(Failure) {
            // SAFETY: both locks are held.
            switch try unsafe both(&firstValue.pointee, &secondValue.pointee) {
            case .done(let result):
                unlockBoth()
                return result
            case .goesOn(let value): middle = value
            }
        } catch {
            unlockBoth()
            throw error
        }
        second.unlock()
        defer { first.unlock() }
        return try unsafe rest(middle, &firstValue.pointee)
    }

    @inline(__always) private func unlockBoth() {
        first.owner.willLetGo()
        second.owner.willLetGo()
        // SYNC: the same holds as in `HalfLock.unlock`, for both locks.
        let both = Self.firstHeld | Self.secondHeld
        let (before, _) = unsafe word.pointee.wrappingSubtract(both, ordering: .sequentiallyConsistent)
        first.wakeIfWaited(before)
        second.wakeIfWaited(before)
    }

    @inline(__always) private func lockBothIfAvailable() -> Bool {
        // SYNC: the same holds as in `HalfLock.lockIfAvailable`, for both locks.
        let both = Self.firstHeld | Self.secondHeld
        if unsafe word.pointee.compareExchange(
            expected: 0, desired: both, successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged {
            first.owner.didAcquire()
            second.owner.didAcquire()
            return true
        }
        guard first.lockIfAvailable() else { return false }
        second.lock()
        return true
    }
}
