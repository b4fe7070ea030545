internal import AnnexLinux
internal import Synchronization

/// Bounds how long an end waits for the look at what its sandbox left.
///
/// A look can hang with a file system. A look can also be late only because other sandboxes ended first: then the thread
/// that looks gets other work done. So an end waits on as long as that thread gets work done, and a minute at most.
final class LookDeadline: Sendable {
    /// How long the thread may get nothing done.
    static let patience = Duration.seconds(20)
    /// How often an end waits for that time.
    static let most = 3

    private let loop: EventLoop
    private let patience: Duration
    /// How much work the thread has done so far.
    private let progress: @Sendable () -> Int
    private let passed: @Sendable () -> Void
    /// nil as long as there is no timer, and again once the wait is over.
    private let timer = Mutex<EventLoop.Timer?>(nil)

    init(
        on loop: EventLoop, patience: Duration = LookDeadline.patience, progress: @escaping @Sendable () -> Int,
        passed: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.patience = patience
        self.progress = progress
        self.passed = passed
        wait(progress(), left: Self.most - 1)
    }

    /// The look is done.
    func cancel() {
        timer.withLock { $0.take() }?.cancel()
    }

    private func wait(_ before: Int, left: Int) {
        // Under the lock, so that a timer that fires at once finds itself here.
        timer.withLock { timer in
            // Strongly: the end must come even if the look is dropped together with all that knows of it.
            timer = loop.schedule(after: patience) { [self] in pass(before, left: left) }
        }
    }

    private func pass(_ before: Int, left: Int) {
        // Cancelled between the timer and this line.
        guard timer.withLock({ $0.take() }) != nil else { return }
        let now = progress()
        if now != before, left > 0 { wait(now, left: left - 1) } else { passed() }
    }
}
