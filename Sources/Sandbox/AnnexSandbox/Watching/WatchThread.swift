internal import AnnexLinux
internal import Synchronization

/// Where looks are taken, one after another: a file system may let one wait for as long as it likes, and the program's own
/// loop serves every channel. The thread is there while any look is awaited, and has no descriptor.
final class WatchThread: Sendable {
    private struct State {
        var queue = TimerQueue()
        var looks: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
        var isRunning = false
    }

    private enum Step {
        case look(@Sendable () -> Void)
        case sleep(until: UInt64)
    }

    /// The process's one.
    static let shared = WatchThread()

    private let state = Mutex(State())
    private let parker = Parker()

    /// Runs `look` once on the thread when a while has passed, and those that were due before are done.
    /// - Returns: what it is cancelled by.
    /// - Throws: where no thread is to be had.
    func schedule(after delay: Duration, _ look: @escaping @Sendable () -> Void) throws(SystemError) -> UInt64 {
        let due = MonotonicClock.deadline(after: delay)
        let (number, isEarliest) = try state.withLock { (state) throws(SystemError) in
            // Inside the lock: where there is no thread, nobody has left anything to it.
            if !state.isRunning { _ = try WorkerThread("annex-watches") { [self] in run() } }
            state.isRunning = true
            state.last += 1
            state.looks[state.last] = look
            state.queue.insert(state.last, deadline: due)
            return (state.last, state.queue.earliest == due)
        }
        if isEarliest { parker.unpark() }
        return number
    }

    /// After it returns the look does not begin any more.
    func cancel(_ number: UInt64) {
        let (look, isLast) = state.withLock { state in
            _ = state.queue.remove(number)
            return (state.looks.removeValue(forKey: number), state.looks.isEmpty)
        }
        if isLast { parker.unpark() }
        // Let go of outside the lock: its last reference may run anything.
        withExtendedLifetime(look) {}
    }

    private func run() {
        while let step = next() {
            switch step {
            case .look(let look): look()
            case .sleep(let deadline): parker.park(until: deadline)
            }
        }
    }

    /// nil at the end of the thread.
    private func next() -> Step? {
        state.withLock { state in
            if let number = state.queue.takeDue(by: MonotonicClock.now()),
                let look = state.looks.removeValue(forKey: number)
            {
                return .look(look)
            }
            guard let earliest = state.queue.earliest else {
                state.isRunning = false
                return nil
            }
            return .sleep(until: earliest)
        }
    }
}
