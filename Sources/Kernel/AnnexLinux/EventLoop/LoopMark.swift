internal import Synchronization

/// A point among a loop's jobs that a thread waits for.
final class LoopMark: Sendable {
    private let isReached = Atomic<Bool>(false)
    private let parker = Parker()

    /// The loop has come to it.
    func reach() {
        // SYNC: releases what the jobs before it did; acquired by the thread that waits.
        isReached.store(true, ordering: .releasing)
        parker.unpark()
    }

    /// Sleeps until the loop has come to it, at most until `deadline` of `MonotonicClock`.
    func wait(until deadline: UInt64?) {
        while !isReached.load(ordering: .acquiring), deadline.map({ MonotonicClock.now() < $0 }) ?? true {
            parker.park(until: deadline)
        }
    }
}
