internal import AnnexLinux
internal import Synchronization

/// The lock budget of one sandbox, and a thread for slow work on locks. The thread starts with its first job.
final class LockDesk: Sendable {
    private let budget = Mutex(LockBudget())
    private let thread = DeskThread(name: "annex-locks")

    /// The decision about one more call that takes a lock.
    func step() -> LockBudget.Step { budget.withLock { $0.step(at: MonotonicClock.now()) } }

    package enum Outcome: Hashable {
        case pass
        case deny
        /// The budget has no lock left, but the last two counts did not both find it used up. For example, other
        /// calls have used up the locks that the last count returned to it. The caller must ask again at this time.
        case wait(until: UInt64)
    }

    /// Decides about a call that needs a count of the locks. Counts the locks, unless a recent count for another call
    /// makes this call wait. Must run on the thread of `perform`.
    ///
    /// - Parameter thread: the thread that made the held call.
    func settle(besides thread: UInt32) -> Outcome {
        guard case .count(let moment) = step() else { return .pass }
        // While this call waited, the locks were counted for another call.
        if moment > MonotonicClock.now() { return denial(or: moment) }
        let held = HeldLocks.count(besides: thread)
        budget.withLock { $0.counted(held, at: MonotonicClock.now()) }
        guard case .count(let next) = step() else { return .pass }
        return denial(or: next)
    }

    private func denial(or moment: UInt64) -> Outcome {
        budget.withLock { $0.isFull } ? .deny : .wait(until: moment)
    }

    /// - Returns: false if the thread cannot be made.
    func perform(at moment: UInt64 = 0, _ job: @escaping @Sendable () -> Void) -> Bool {
        thread.perform(at: moment, job)
    }
}

/// How many file locks one sandbox may still take before its locks are counted again.
///
/// The kernel charges the memory of locks to no process, and a call does not show how many locks it adds. Each call
/// is therefore charged with the most locks that it can add. A new count returns to the budget the locks that were
/// released since the last count.
struct LockBudget: Sendable {
    /// The most locks of one sandbox. Each of its threads may also be in a call that passed before the last count. The
    /// locks of such calls come on top of this number.
    static let most = 4_096
    /// The most locks that one call adds: if a lock lies inside the range of another lock, one lock becomes three.
    static let addedByOneCall = 2
    /// The shortest time between two counts. Each count delays every lock of the machine, so counts must not follow
    /// quickly.
    static let pause = Duration.milliseconds(50)

    enum Step: Hashable {
        case pass
        /// Count the sandbox's locks, but not before this time of `MonotonicClock`.
        case count(at: UInt64)
    }

    private var left = most
    private var next: UInt64 = 0
    /// Whether the last two counts both found the budget used up. A single count may be too high, because the
    /// kernel's list can show a lock twice while other processes take locks.
    private(set) var isFull = false
    private var wasFull = false

    /// The decision about one more call.
    mutating func step(at now: UInt64) -> Step {
        if left >= Self.addedByOneCall {
            left -= Self.addedByOneCall
            return .pass
        }
        return .count(at: max(now, next))
    }

    /// - Parameter held: the number of counted locks; nil if they could not be counted, which is treated as too many.
    mutating func counted(_ held: Int?, at now: UInt64) {
        left = max(0, Self.most - (held ?? Self.most))
        let isSpent = left < Self.addedByOneCall
        isFull = isSpent && wasFull
        wasFull = isSpent
        next = now &+ UInt64(Self.pause / .nanoseconds(1))
    }
}
