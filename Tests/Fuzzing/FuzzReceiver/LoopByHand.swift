import Synchronization

@testable import AnnexLinux

/// An event loop without a thread. The fuzzer decides when jobs and handlers run, on its own thread. So the same input
/// always gives the same run, and a run waits for no other thread.
final class LoopByHand: Sendable {
    let loop: EventLoop

    init() throws {
        loop = try EventLoop()
        loop.shutDown()
        reset()
    }

    /// Runs the waiting jobs, and the jobs that they add.
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

    /// Runs all timers that are set, as if enough time had passed.
    func runTimers() {
        let due = loop.state.withLock { state in state.timerQueue.count }
        for _ in 0..<due {
            let handler = loop.state.withLock { state in
                state.timerQueue.takeDue(by: .max).flatMap { state.timers.removeValue(forKey: $0) }
            }
            handler?()
        }
    }

    /// Drops the jobs and timers that an earlier run has left.
    func reset() {
        let left = loop.state.withLock { state in
            defer {
                state.jobs = []
                state.timers = [:]
                state.timerQueue = TimerQueue()
                state.phase = .running
                // No thread sleeps, so there is no thread to wake.
                state.sleepsUntil = 0
            }
            return (state.jobs, state.timers)
        }
        withExtendedLifetime(left) {}
    }
}
