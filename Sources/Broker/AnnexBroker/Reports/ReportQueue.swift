internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Writes reports to disk, one after another, on a thread that lives only while there is work. So neither the event
/// loop nor the end of an extension ever waits for a disk.
package final class ReportQueue: Sendable {
    typealias Work = @Sendable () -> Void

    /// The work that waits for one folder.
    private struct Row {
        var waiting: [(work: Work, bytes: Int)] = []
        var bytes = 0
    }

    private struct State {
        var rows: [String: Row] = [:]
        /// The folders with waiting work, in the order of their turns.
        var turns: [String] = []
        /// How many closures (`Work`) wait for all folders together, and how many bytes they hold.
        var count = 0
        var bytes = 0
        var isWriting = false
        var outlives = false

        func hasRoom(for bytes: Int, in folder: String) -> Bool {
            let row = rows[folder] ?? Row()
            return row.waiting.count < ReportQueue.mostWaiting - count
                && row.bytes + bytes <= ReportQueue.mostBytes - self.bytes
        }

        mutating func add(_ work: @escaping Work, holding bytes: Int, to folder: String) {
            if rows[folder] == nil { turns.append(folder) }
            rows[folder, default: Row()].waiting.append((work, bytes))
            rows[folder]?.bytes += bytes
            count += 1
            self.bytes += bytes
        }

        /// Removes the oldest work of the folder whose turn it is. The folder's next turn comes after the turns of all
        /// other folders.
        mutating func popNext() -> Work? {
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

    /// The queue of this process.
    static let shared = ReportQueue()
    /// If a disk does not answer, at most this many closures (`Work`) wait, with at most this many bytes. Further
    /// work is lost. One folder may use at most half of the room that the other folders leave free. So even if many
    /// extensions of one user end, there is room for other users' reports.
    static let mostWaiting = 8192
    static let mostBytes = 64 << 20
    /// How long a program that exits waits for its last reports if the disk is slow.
    static let lastMoment = Mutex(Duration.seconds(5))

    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: the folder that the work writes to. Folders take turns.
    ///   - bytes: about how many bytes the work holds.
    /// - Returns: false if there is no room; in that case, the work is dropped.
    func add(to folder: String = "", holding bytes: Int = 0, _ work: @escaping Work) -> Bool {
        let (isTaken, mustStart, isFirst) = state.withLock { state in
            guard state.hasRoom(for: bytes, in: folder) else { return (false, false, false) }
            state.add(work, holding: bytes, to: folder)
            defer { (state.isWriting, state.outlives) = (true, true) }
            return (true, !state.isWriting, !state.outlives)
        }
        if isFirst { Self.outliveMain() }
        if mustStart { start() }
        return isTaken
    }

    /// Waits until all work is done, but no longer than `limit`.
    /// - Returns: whether all work is done.
    @discardableResult
    func finish(within limit: Duration) -> Bool {
        let deadline = MonotonicClock.deadline(after: limit)
        while true {
            let (isDone, mustStart) = state.withLock { state in
                // If no thread could be created when the work was added, the work waits without a thread.
                let mustStart = !state.isWriting && state.count > 0
                if mustStart { state.isWriting = true }
                return (!state.isWriting, mustStart)
            }
            if isDone { return true }
            if mustStart { start() }
            guard MonotonicClock.now() < deadline else { return false }
            usleep(200)
        }
    }

    /// Waits until all work of this process is done, but not longer than `lastMoment`.
    package static func finishAtLast() { shared.finish(within: lastMoment.withLock { $0 }) }

    private func start() {
        do throws(SystemError) {
            _ = try WorkerThread("annex-reports") { [self] in
                Self.yieldToOthers()
                while let work = next() { work() }
            }
        } catch {
            // No thread can be created now. The waiting work is done after the next work is added.
            state.withLock { $0.isWriting = false }
        }
    }

    /// Lowers this thread's priority, because launches are more urgent than reports. On Linux, 0 means the calling
    /// thread and not its process.
    private static func yieldToOthers() { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }

    private func next() -> Work? {
        state.withLock { state in
            let next = state.popNext()
            if next == nil { state.isWriting = false }
            return next
        }
    }

    /// Makes a program wait at exit for its last reports. Without this wait, the reports would be lost.
    private static func outliveMain() {
        maker.store(getpid(), ordering: .relaxed)
        atexit {
            // A forked child has no writer thread and nothing to wait for. In the child, the lock may be held for ever.
            guard getpid() == ReportQueue.maker.load(ordering: .relaxed) else { return }
            ReportQueue.finishAtLast()
        }
    }

    /// SYNC: relaxed: the thread that registers the exit handler sets this value, and the exit handler reads it.
    private static let maker = Atomic<Int32>(0)
}
