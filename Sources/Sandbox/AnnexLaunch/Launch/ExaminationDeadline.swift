internal import AnnexLinux
internal import Synchronization

/// Limits how long the report of a sandbox's end waits until the sandbox's remains have been examined.
///
/// The examination hangs if a file system hangs. It can also be late, because the same thread must examine the
/// remains of earlier sandboxes before it. So the report keeps waiting while that thread makes progress, for a minute
/// at most.
final class ExaminationDeadline: Sendable {
    /// The longest time that the thread may make no progress.
    static let patience = Duration.seconds(20)
    /// How many times `patience` may pass in one wait. After that the wait ends, even if the thread makes progress.
    static let most = 3

    private let loop: EventLoop
    private let patience: Duration
    /// The number of jobs that the thread has done so far.
    private let progress: @Sendable () -> Int
    private let passed: @Sendable () -> Void
    /// The running timer. nil while there is no timer, and after the wait is over.
    private let timer = Mutex<EventLoop.Timer?>(nil)

    init(
        on loop: EventLoop, patience: Duration = ExaminationDeadline.patience, progress: @escaping @Sendable () -> Int,
        passed: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.patience = patience
        self.progress = progress
        self.passed = passed
        wait(progress(), left: Self.most - 1)
    }

    /// Ends the wait, because the remains have been examined.
    func cancel() {
        timer.withLock { $0.take() }?.cancel()
    }

    private func wait(_ before: Int, left: Int) {
        // The timer is made under the lock. So a timer that fires at once finds itself stored here.
        timer.withLock { timer in
            // The reference is strong. The end must be reported even if all other references to this object are
            // dropped together with the job of the examination.
            timer = loop.schedule(after: patience) { [self] in pass(before, left: left) }
        }
    }

    private func pass(_ before: Int, left: Int) {
        // Return if the wait was cancelled after the timer fired and before this line.
        guard timer.withLock({ $0.take() }) != nil else { return }
        let now = progress()
        if now != before, left > 0 { wait(now, left: left - 1) } else { passed() }
    }
}
