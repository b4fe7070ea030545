/// How many file locks one sandbox may still take before those that it holds are counted anew.
///
/// The kernel charges the memory of a lock to nobody, and a call says nothing of the locks that it adds: so each call counts
/// as the most that it can add, and what was released since comes back by counting.
struct LockBudget: Sendable {
    /// Locks of one sandbox. Besides, each of its threads may be amid one call that was let pass before the last count.
    static let most = 4_096
    /// A lock in the midst of another leaves three of one.
    static let addedByOneCall = 2
    /// Between two counts, which hold up every lock of the machine.
    static let pause = Duration.milliseconds(50)

    enum Step: Hashable {
        case pass
        /// Count the locks that it holds, not before this moment of `MonotonicClock`.
        case count(at: UInt64)
    }

    private var left = most
    private var next: UInt64 = 0
    /// Whether the last two counts found as many as there may be. One alone may have met lines of the kernel's list twice,
    /// beside others that locked meanwhile.
    private(set) var isFull = false
    private var wasFull = false

    /// What becomes of one more call.
    mutating func step(at now: UInt64) -> Step {
        if left >= Self.addedByOneCall {
            left -= Self.addedByOneCall
            return .pass
        }
        return .count(at: max(now, next))
    }

    /// - Parameter held: locks that were found; nil: they could not be counted, and count as too many.
    mutating func counted(_ held: Int?, at now: UInt64) {
        left = max(0, Self.most - (held ?? Self.most))
        let isSpent = left < Self.addedByOneCall
        isFull = isSpent && wasFull
        wasFull = isSpent
        next = now &+ UInt64(Self.pause / .nanoseconds(1))
    }
}
