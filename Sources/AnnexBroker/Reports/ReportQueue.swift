internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// What is to be written to disk, one after another, on a thread that lives as long as there is something: neither an end
/// nor the event loop ever waits for a disk.
final class ReportQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [(work: Work, bytes: Int)] = []
        /// What those that wait hold.
        var bytes = 0
        var isWriting = false
        var outlives = false
    }

    /// The process's one.
    static let shared = ReportQueue()
    /// As many may wait for a disk that does not answer, and hold so many bytes; what comes then is lost.
    static let mostWaiting = 4096
    static let mostBytes = 32 << 20
    /// How long a program that exits waits for its last reports, where a disk does not take them.
    static let lastMoment = Mutex(Duration.seconds(5))

    private let state = Mutex(State())

    /// - Parameter bytes: about as many are held by the work.
    /// - Returns: false where there is no room; nothing is kept of the work then.
    func add(holding bytes: Int = 0, _ work: @escaping Work) -> Bool {
        let (isTaken, mustStart, isFirst) = state.withLock { state in
            guard state.waiting.count < Self.mostWaiting, state.bytes + bytes <= Self.mostBytes else {
                return (false, false, false)
            }
            state.waiting.append((work, bytes))
            state.bytes += bytes
            defer { (state.isWriting, state.outlives) = (true, true) }
            return (true, !state.isWriting, !state.outlives)
        }
        if isFirst { Self.outliveMain() }
        if mustStart { start() }
        return isTaken
    }

    /// Waits until nothing is left to be written, or until the time is over.
    /// - Returns: whether nothing is left.
    @discardableResult
    func finish(within limit: Duration) -> Bool {
        let deadline = MonotonicClock.deadline(after: limit)
        while state.withLock({ $0.isWriting }) {
            guard MonotonicClock.now() < deadline else { return false }
            usleep(200)
        }
        return true
    }

    private func start() {
        do throws(SystemError) {
            _ = try WorkerThread("annex-reports") { [self] in
                Self.yieldToOthers()
                while let work = next() { work() }
            }
        } catch {
            // No thread to be had: what waits is written with the next that comes.
            state.withLock { $0.isWriting = false }
        }
    }

    /// Nobody waits for a report: launches come first. On Linux 0 is the calling thread, not its process.
    private static func yieldToOthers() { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }

    private func next() -> Work? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            let next = state.waiting.removeFirst()
            state.bytes -= next.bytes
            return next.work
        }
    }

    /// A program that exits right after its last extension's end would take that one's report along.
    private static func outliveMain() {
        maker.store(getpid(), ordering: .relaxed)
        atexit {
            // A forked child has neither the thread nor anything to wait for, and the lock may be held for ever.
            guard getpid() == ReportQueue.maker.load(ordering: .relaxed) else { return }
            ReportQueue.shared.finish(within: ReportQueue.lastMoment.withLock { $0 })
        }
    }

    /// SYNC: relaxed: set by the thread that registers what reads it.
    private static let maker = Atomic<Int32>(0)
}
