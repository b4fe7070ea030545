import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc
import Synchronization

/// Ends `annex run` if a place that is handed over does not answer while it is examined. The thread that examines it
/// cannot be woken, so only the end of this process ends its wait.
final class SilentPlaceWatch: Sendable {
    /// How long one place may take.
    private static let patience = Duration.seconds(20)

    private let timer = Mutex<EventLoop.Timer?>(nil)
    /// Gets the last line; nil if nobody asked for lines.
    private let events: RunEvents?

    init(telling events: RunEvents?) {
        self.events = events
    }

    func begin() {
        wait(from: ExaminationTrail.mark)
    }

    /// Ends the watch, because everything was examined.
    func cancel() {
        timer.withLock { $0.take() }?.cancel()
    }

    private func wait(from mark: ExaminationTrail.Mark) {
        // Without a loop, the launch fails and says why.
        guard let loop = try? EventLoop.shared() else { return }
        timer.withLock { timer in
            timer = loop.schedule(after: Self.patience) { [weak self] in self?.pass(mark) }
        }
    }

    private func pass(_ before: ExaminationTrail.Mark) {
        // The watch was cancelled between the timer and this line.
        guard timer.withLock({ $0.take() }) != nil else { return }
        let now = ExaminationTrail.mark
        if now != before { return wait(from: now) }
        let error = SandboxError(
            "grants",
            cause: "\(PathText.shown(now.path, limit: 500)) cannot be examined: it, or something in it, has not "
                + "answered for \(Self.patience.components.seconds) seconds",
            remedy: "unmount what does not answer, or do not hand it over")
        StandardError.print("annex: not started: \(error)")
        _ = events?.finish(RunEvents.EndLine(error, status: 126))
        _exit(126)
    }
}
