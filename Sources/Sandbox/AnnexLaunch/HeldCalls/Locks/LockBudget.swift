internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

/// Decides about a call that takes a lock. The call passes if its sandbox holds few locks (`LockBudget`).
struct LockHandler: CallBoundHandler {
    static let withoutThread = CallStep.deny(errno: ENOLCK)
    /// How long the broker waits before it tries again to take a lock.
    private static let pause = Duration.milliseconds(20)

    private let locks: SandboxLocks
    private var isTaken = false

    init(_ locks: SandboxLocks) {
        self.locks = locks
    }

    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        defer { isTaken = true }
        guard SystemCall(number: call.number)?.name == "flock" else { return range(call) }
        // For a shared lock or a release, the broker does not check whether the program may write the file. Other
        // limits bound the number of shared locks.
        guard WholeFileLock.isAsked(by: call) else { return .proceed }
        return isTaken ? whole(call, on: listener) : .again()
    }

    private func range(_ call: HeldCall) -> CallStep {
        guard isTaken else {
            guard case .count(let moment) = locks.step() else { return .proceed }
            return .again(at: moment)
        }
        switch locks.settle(besides: call.thread) {
        case .pass: return .proceed
        case .deny: return .deny(errno: ENOLCK)
        case .wait(let moment): return .again(at: moment)
        }
    }

    private func whole(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        switch WholeFileLock.acquire(call, on: listener) {
        case .acquired: .complete
        case .denied(ENOLCK): .deny(errno: ENOLCK)
        case .denied(let errno): .fail(errno: errno)
        case .busy: .again(at: MonotonicClock.deadline(after: Self.pause))
        }
    }
}

/// The lock budget of one sandbox, and the counting of its locks.
final class SandboxLocks: Sendable {
    private let budget = Mutex(LockBudget())

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
    /// makes this call wait. Must run on the lane of held calls.
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
