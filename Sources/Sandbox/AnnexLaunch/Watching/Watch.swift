package import AnnexLinux
internal import Synchronization

/// Calls a subject's `look` repeatedly for as long as this value lives. The interval starts at the end of each look.
package final class Watch<Subject: Watched>: Sendable {
    let subject: Subject
    private let loop: EventLoop
    private let cancel = Mutex<(@Sendable () -> Void)?>(nil)
    /// SYNC: relaxed everywhere, because it orders nothing: one extra look does no harm.
    private let isOver = Atomic<Bool>(false)

    /// - Parameter loop: the event loop that runs the looks while no thread can be made: a late look is better than
    ///   none.
    package init(_ subject: Subject, orOn loop: EventLoop) {
        self.subject = subject
        self.loop = loop
        again()
    }

    deinit {
        cancel.withLock { $0.take() }?()
    }

    /// Ends the watch. Does not wait for a look that is running.
    func finish() {
        isOver.store(true, ordering: .relaxed)
        cancel.withLock { $0.take() }?()
    }

    private func again() {
        guard !isOver.load(ordering: .relaxed) else { return }
        let next = schedule { [weak self] in self?.look() }
        cancel.withLock { $0 = next }
    }

    private func schedule(_ look: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        do throws(SystemError) {
            let number = try WatchThread.shared.schedule(after: Subject.interval, look)
            return { WatchThread.shared.cancel(number) }
        } catch {
            let timer = loop.schedule(after: Subject.interval, look)
            return { timer.cancel() }
        }
    }

    private func look() {
        guard !isOver.load(ordering: .relaxed) else { return }
        if subject.look() { again() } else { finish() }
    }
}

/// A subject without a kernel limit, which is therefore checked at intervals.
package protocol Watched: Sendable {
    /// The time between the end of one look and the start of the next.
    static var interval: Duration { get }

    /// Checks once. May take as long as a slow file system does.
    /// - Returns: whether to look again.
    func look() -> Bool
}
