internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the total processor time of all processes of a sandbox. `RLIMIT_CPU` limits each process separately, so a
/// sandbox with a hundred processes could use a hundred times that limit. The watch checks twice a second.
final class ProcessorWatch: Watched {
    static let interval = Duration.milliseconds(500)

    private let limit: Duration
    private let used: @Sendable () throws(SystemError) -> Duration
    private let sight: Sight
    private let exceeded: @Sendable (WatchFinding) -> Void

    /// - Parameters:
    ///   - used: measures the processor time that all processes of the sandbox have used so far.
    ///   - isAlive: whether the first process is still running. The process's handle gives the answer.
    ///   - exceeded: called at most once, on the watch thread.
    init(
        limit: Duration, isAlive: @escaping @Sendable () -> Bool,
        used: @escaping @Sendable () throws(SystemError) -> Duration,
        exceeded: @escaping @Sendable (WatchFinding) -> Void
    ) {
        self.limit = limit
        self.used = used
        sight = Sight(isAlive)
        self.exceeded = exceeded
    }

    func check() -> Bool {
        let finding = sight.check { () throws(SystemError) in try used() > limit ? .exceeded : nil }
        guard let finding else { return true }
        exceeded(finding)
        return false
    }

    /// The processor time of a process and its descendants, as `/proc` lists them.
    static func tree(of process: Int32) -> @Sendable () throws(SystemError) -> Duration {
        let process = ProcNumber.listed(process)
        let tally = Tally()
        return { () throws(SystemError) in
            let ticks = try tally.state.withLock { (tally) throws(SystemError) in try tally.refresh(for: process) }
            return .milliseconds(Int64(clamping: ticks.multipliedClamped(by: 1000) / ticksPerSecond))
        }
    }

    private final class Tally: Sendable {
        let state = Mutex(ProcessorTally())
    }

    private static let ticksPerSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
}

/// The processor time of a process and all its descendants in clock ticks, including descendants that have ended.
///
/// The kernel adds a child's time to its parent when the parent waits for the child. If a parent ignores the ends of
/// its children, their time is lost. Therefore this type also adds up the last known time of each process. The larger
/// of this sum and the kernel's sum is the result. Neither sum counts a tick twice.
struct ProcessorTally {
    /// A process number identifies a process only together with its start time.
    struct Identity: Hashable {
        let process: Int32
        let started: UInt64
    }

    private var living: [Identity: UInt64] = [:]
    private var ended: UInt64 = 0

    /// - Returns: the ticks used so far.
    mutating func add(_ stats: [Identity: ProcessStat]) -> UInt64 {
        let now = stats.mapValues(\.ticks)
        for (process, ticks) in living where now[process] == nil { ended = ended.addingClamped(ticks) }
        living = now
        let seen = now.values.reduce(ended) { $0.addingClamped($1) }
        return max(seen, stats.values.reduce(0) { $0.addingClamped($1.ticks.addingClamped($1.waitedTicks)) })
    }

    /// Adds the present times of all processes of the tree, and returns the ticks used so far.
    mutating func refresh(for process: Int32) throws(SystemError) -> UInt64 {
        var stats: [Identity: ProcessStat] = [:]
        for member in try ProcessTree.members(of: process) {
            let text = try ProcessTree.unlessGone("") { () throws(SystemError) in
                try TextFile.contents(of: "/proc/\(member)/stat")
            }
            guard let stat = ProcessStat(text: text) else { continue }
            stats[Identity(process: member, started: stat.started)] = stat
        }
        return add(stats)
    }
}
