internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// What is to be written to disk, one after another, on a thread that lives as long as there is something: neither an end
/// nor the event loop ever waits for a disk.
final class ReportQueue: Sendable {
    typealias Work = @Sendable () -> Void

    /// What waits for one folder.
    private struct Row {
        var waiting: [(work: Work, bytes: Int)] = []
        var bytes = 0
    }

    private struct State {
        var rows: [String: Row] = [:]
        /// The folders whose turn it is, one after another.
        var turns: [String] = []
        /// All that wait, and what they hold.
        var count = 0
        var bytes = 0
        var isWriting = false
        var outlives = false

        func hasRoom(for bytes: Int, in folder: String) -> Bool {
            let row = rows[folder] ?? Row()
            return row.waiting.count < ReportQueue.mostWaiting - count
                && row.bytes + bytes <= ReportQueue.mostBytes - self.bytes
        }

        mutating func add(_ work: @escaping Work, _ bytes: Int, to folder: String) {
            if rows[folder] == nil { turns.append(folder) }
            rows[folder, default: Row()].waiting.append((work, bytes))
            rows[folder]?.bytes += bytes
            count += 1
            self.bytes += bytes
        }

        /// The oldest of the folder whose turn it is, which then waits behind all others.
        mutating func takeNext() -> Work? {
            guard !turns.isEmpty else { return nil }
            let folder = turns.removeFirst()
            guard var row = rows.removeValue(forKey: folder), !row.waiting.isEmpty else { return nil }
            let next = row.waiting.removeFirst()
            row.bytes -= next.bytes
            count -= 1
            bytes -= next.bytes
            if !row.waiting.isEmpty {
                rows[folder] = row
                turns.append(folder)
            }
            return next.work
        }
    }

    /// The process's one.
    static let shared = ReportQueue()
    /// As many may wait for a disk that does not answer, and hold so many bytes; what comes then is lost. One folder has
    /// at most as many as are free, so that a flood of one user's ends leaves room for everybody else's.
    static let mostWaiting = 8192
    static let mostBytes = 64 << 20
    /// How long a program that exits waits for its last reports, where a disk does not take them.
    static let lastMoment = Mutex(Duration.seconds(5))

    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: which the work writes to. Folders take turns.
    ///   - bytes: about as many are held by the work.
    /// - Returns: false where there is no room; nothing is kept of the work then.
    func add(to folder: String = "", holding bytes: Int = 0, _ work: @escaping Work) -> Bool {
        let (isTaken, mustStart, isFirst) = state.withLock { state in
            guard state.hasRoom(for: bytes, in: folder) else { return (false, false, false) }
            state.add(work, bytes, to: folder)
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
            let next = state.takeNext()
            if next == nil { state.isWriting = false }
            return next
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
