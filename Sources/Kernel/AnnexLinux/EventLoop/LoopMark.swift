internal import Synchronization

/// A point among a loop's jobs for which a thread waits.
final class LoopMark: Sendable {
    private let isReached = Atomic<Bool>(false)
    private let parker = Parker()

    /// Called when the loop reaches the point.
    func reach() {
        // SYNC: releases what the jobs before it did; acquired by the thread that waits.
        isReached.store(true, ordering: .releasing)
        parker.unpark()
    }

    /// Sleeps until the loop has reached the point, at most until `deadline` of `MonotonicClock`.
    func wait(until deadline: UInt64?) {
        while !isReached.load(ordering: .acquiring), deadline.map({ MonotonicClock.now() < $0 }) ?? true {
            parker.park(until: deadline)
        }
    }
}
