internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Writes reports to disk, one after another, on a lane of their own. So neither the event loop nor the end of an
/// extension ever waits for a disk.
package final class ReportQueue: Sendable {
    typealias Work = @Sendable () -> Void

    /// Work that has not begun: how many closures (`Work`), and how many bytes they hold.
    private struct Load {
        var count = 0
        var bytes = 0

        static func += (load: inout Load, more: Load) {
            load.count += more.count
            load.bytes += more.bytes
        }

        static func -= (load: inout Load, less: Load) {
            load.count -= less.count
            load.bytes -= less.bytes
        }
    }

    private struct State {
        var folders: [String: Load] = [:]
        /// The work that waits for all folders together.
        var total = Load()
        var outlives = false

        mutating func add(_ load: Load, to folder: String) -> Bool {
            let own = folders[folder] ?? Load()
            guard own.count < ReportQueue.mostWaiting - total.count,
                own.bytes + load.bytes <= ReportQueue.mostBytes - total.bytes
            else { return false }
            folders[folder, default: Load()] += load
            total += load
            return true
        }

        mutating func remove(_ load: Load, from folder: String) {
            total -= load
            folders[folder]? -= load
            if folders[folder]?.count == 0 { folders[folder] = nil }
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

    /// The lane shares its thread with nothing else, because a disk may block it for an unlimited time. Its priority is
    /// low, because launches are more urgent than reports.
    private let lane = Lane("annex-reports", nice: 10)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: the folder that the work writes to. Folders take turns.
    ///   - bytes: about how many bytes the work holds.
    /// - Returns: false if there is no room; in that case, the work is dropped.
    func add(to folder: String = "", holding bytes: Int = 0, _ work: @escaping Work) -> Bool {
        let load = Load(count: 1, bytes: bytes)
        let (isTaken, isFirst) = state.withLock { state in
            guard state.add(load, to: folder) else { return (false, false) }
            defer { state.outlives = true }
            return (true, !state.outlives)
        }
        guard isTaken else { return false }
        if isFirst { Self.outliveMain() }
        lane.run(in: folder) { [self] in
            state.withLock { $0.remove(load, from: folder) }
            work()
        }
        return true
    }

    /// Waits until all work is done, but no longer than `limit`.
    /// - Returns: whether all work is done.
    @discardableResult
    func finish(within limit: Duration) -> Bool {
        let deadline = MonotonicClock.deadline(after: limit)
        while !lane.isIdle {
            // At exit, no event loop may be left that tries again to make a thread.
            lane.resume()
            guard MonotonicClock.now() < deadline else { return false }
            usleep(200)
        }
        return true
    }

    /// Waits until all work of this process is done, but not longer than `lastMoment`.
    package static func finishAtLast() { shared.finish(within: lastMoment.withLock { $0 }) }

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
