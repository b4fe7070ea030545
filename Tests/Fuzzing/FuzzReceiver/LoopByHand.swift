import Synchronization

@testable import AnnexLinux

/// An event loop without its thread: what it was told happens when the fuzzer says so, on the fuzzer's own thread, so
/// that a run is the same each time and waits for no other thread.
final class LoopByHand: Sendable {
    let loop: EventLoop

    init() throws {
        loop = try EventLoop()
        loop.shutDown()
        reset()
    }

    /// Runs what was handed in, and what that hands in.
    func runJobs() {
        while true {
            let jobs = loop.state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            guard !jobs.isEmpty else { return }
            for job in jobs { job() }
        }
    }

    /// As if so much time had passed that every timer set so far is due.
    func runTimers() {
        let due = loop.state.withLock { state in state.timerQueue.count }
        for _ in 0..<due {
            let handler = loop.state.withLock { state in
                state.timerQueue.takeDue(by: .max).flatMap { state.timers.removeValue(forKey: $0) }
            }
            handler?()
        }
    }

    /// Forgets what a former run has left.
    func reset() {
        let left = loop.state.withLock { state in
            defer {
                state.jobs = []
                state.timers = [:]
                state.timerQueue = TimerQueue()
                state.phase = .running
                // Nobody sleeps, so nobody is to be woken.
                state.sleepsUntil = 0
            }
            return (state.jobs, state.timers)
        }
        withExtendedLifetime(left) {}
    }
}
