internal import AnnexLinux
internal import Synchronization

/// The budget of one sandbox's locks, and a thread for what takes time about them: started with its first job.
final class LockDesk: Sendable {
    private let budget = Mutex(LockBudget())
    private let thread = Mutex<EventLoop?>(nil)

    /// What becomes of one more call that takes locks.
    func step() -> LockBudget.Step { budget.withLock { $0.step(at: MonotonicClock.now()) } }

    enum Outcome: Hashable {
        case pass
        case refuse
        /// Others spent what came back; ask again at this moment.
        case wait(until: UInt64)
    }

    /// What becomes of a call that waited for a count. On the thread.
    ///
    /// - Parameter thread: whose call is held.
    func settle(besides thread: UInt32) -> Outcome {
        guard case .count(let moment) = step() else { return .pass }
        // Counted while this one waited.
        if moment > MonotonicClock.now() { return refusal(or: moment) }
        let held = HeldLocks.count(besides: thread)
        budget.withLock { $0.counted(held, at: MonotonicClock.now()) }
        guard case .count(let next) = step() else { return .pass }
        return refusal(or: next)
    }

    private func refusal(or moment: UInt64) -> Outcome {
        budget.withLock { $0.isFull } ? .refuse : .wait(until: moment)
    }

    /// - Returns: false where there is no thread for it.
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
        // Not from here: the last to let go may be the thread itself.
        loop.execute { loop.shutDown() }
    }
}
