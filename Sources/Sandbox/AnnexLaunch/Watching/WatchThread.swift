internal import AnnexLinux
internal import Synchronization

/// The thread on which checks run, one after another. A file system may block a check for an unlimited time. So checks
/// cannot run on the program's event loop, which serves the channels. The thread exists only while a check is
/// scheduled, and holds no descriptor.
final class WatchThread: Sendable {
    private struct State {
        var queue = TimerQueue()
        var checks: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
        var isRunning = false
    }

    private enum Step {
        case check(@Sendable () -> Void)
        case sleep(until: UInt64)
    }

    /// The only instance in this process.
    static let shared = WatchThread()

    private let state = Mutex(State())
    private let parker = Parker()

    /// Runs `check` once on the thread when the delay has passed, after the checks that were due earlier.
    ///
    /// - Returns: the number with which the caller can cancel the check.
    /// - Throws: if no thread can be made.
    func schedule(after delay: Duration, _ check: @escaping @Sendable () -> Void) throws(SystemError) -> UInt64 {
        let due = MonotonicClock.deadline(after: delay)
        let (number, isEarliest) = try state.withLock { (state) throws(SystemError) in
            // The thread is made under the lock. If making it fails, no check has been queued yet.
            if !state.isRunning { _ = try WorkerThread("annex-watches") { [self] in run() } }
            state.isRunning = true
            state.last += 1
            state.checks[state.last] = check
            state.queue.insert(state.last, deadline: due)
            return (state.last, state.queue.earliest == due)
        }
        if isEarliest { parker.unpark() }
        return number
    }

    /// Cancels a check. The check does not start after this call returns.
    func cancel(_ number: UInt64) {
        let (look, isLast) = state.withLock { state in
            _ = state.queue.remove(number)
            return (state.checks.removeValue(forKey: number), state.checks.isEmpty)
        }
        if isLast { parker.unpark() }
        // The closure is released outside the lock, because the release of its last reference may run any code.
        withExtendedLifetime(look) {}
    }

    private func run() {
        while let step = next() {
            switch step {
            case .check(let look): look()
            case .sleep(let deadline): parker.park(until: deadline)
            }
        }
    }

    /// The next step; nil if the thread shall end.
    private func next() -> Step? {
        state.withLock { state in
            if let number = state.queue.takeDue(by: MonotonicClock.now()),
                let look = state.checks.removeValue(forKey: number)
            {
                return .check(look)
            }
            guard let earliest = state.queue.earliest else {
                state.isRunning = false
                return nil
            }
            return .sleep(until: earliest)
        }
    }
}
