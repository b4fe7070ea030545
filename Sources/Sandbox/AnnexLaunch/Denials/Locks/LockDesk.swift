internal import AnnexLinux
internal import Synchronization

/// The lock budget of one sandbox, and a thread for slow work on locks, which starts with its first job.
final class LockDesk: Sendable {
    private let budget = Mutex(LockBudget())
    private let thread = Mutex<EventLoop?>(nil)

    /// What to do with one more call that takes a lock.
    func step() -> LockBudget.Step { budget.withLock { $0.step(at: MonotonicClock.now()) } }

    package enum Outcome: Hashable {
        case pass
        case refuse
        /// Other calls used up the released locks; ask again at this time.
        case wait(until: UInt64)
    }

    /// Decides a call that waited for a count. Must run on the thread of `perform`.
    ///
    /// - Parameter thread: the thread whose call is held.
    func settle(besides thread: UInt32) -> Outcome {
        guard case .count(let moment) = step() else { return .pass }
        // Another call's count took place while this one waited.
        if moment > MonotonicClock.now() { return refusal(or: moment) }
        let held = HeldLocks.count(besides: thread)
        budget.withLock { $0.counted(held, at: MonotonicClock.now()) }
        guard case .count(let next) = step() else { return .pass }
        return refusal(or: next)
    }

    private func refusal(or moment: UInt64) -> Outcome {
        budget.withLock { $0.isFull } ? .refuse : .wait(until: moment)
    }

    /// - Returns: false if the thread cannot be made.
    func perform(at moment: UInt64 = 0, _ job: @escaping @Sendable () -> Void) -> Bool {
        let loop = thread.withLock { thread in
            if thread == nil { thread = try? EventLoop(name: "annex-locks") }
            return thread
        }
        guard let loop else { return false }
        if moment == 0 {
            loop.execute(job)
        } else {
            loop.schedule(at: moment, job)
        }
        return true
    }

    deinit {
        guard let loop = thread.withLock({ $0.take() }) else { return }
        // Not on this thread: the last reference may be released on the loop's own thread.
        loop.execute { loop.shutDown() }
    }
}
