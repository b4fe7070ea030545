internal import AnnexLinux
internal import Synchronization

/// Looks again and again, one look after the end of the last, for as long as this value lives.
final class Watch<Subject: Watched>: Sendable {
    let subject: Subject
    /// Held for its thread; nil where there was none to be had.
    private let place: WatchLoop?
    private let loop: EventLoop
    private let timer = Mutex<EventLoop.Timer?>(nil)
    /// SYNC: relaxed everywhere, because it orders nothing: one look too many changes nothing.
    private let isOver = Atomic<Bool>(false)

    /// - Parameter loop: where to look when there is no thread for it: late is better than never.
    init(_ subject: Subject, orOn loop: EventLoop) {
        self.subject = subject
        let place = try? WatchLoop.shared()
        self.place = place
        self.loop = place?.loop ?? loop
        again()
    }

    deinit {
        timer.withLock { $0.take() }?.cancel()
    }

    /// Nothing is watched any more. Does not wait for a look that has begun.
    func finish() {
        isOver.store(true, ordering: .relaxed)
        timer.withLock { $0.take() }?.cancel()
    }

    private func again() {
        guard !isOver.load(ordering: .relaxed) else { return }
        let next = loop.schedule(after: Subject.interval) { [weak self] in self?.look() }
        timer.withLock { $0 = next }
    }

    private func look() {
        guard !isOver.load(ordering: .relaxed) else { return }
        if subject.look() { again() } else { finish() }
    }
}
