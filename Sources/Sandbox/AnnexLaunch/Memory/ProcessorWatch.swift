internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the processor time of all processes of a sandbox together. `RLIMIT_CPU` limits each process by itself, so a
/// sandbox with a hundred processes could use a hundred times as much. Checks twice a second.
final class ProcessorWatch: Watched {
    static let interval = Duration.milliseconds(500)

    private let limit: Duration
    private let used: @Sendable () throws(SystemError) -> Duration
    private let sight: Sight
    private let exceeded: @Sendable (WatchFinding) -> Void

    /// - Parameters:
    ///   - used: the processor time that all of them have used so far.
    ///   - isAlive: whether the first process is still running, asked of its handle.
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

    func look() -> Bool {
        let finding = sight.look { () throws(SystemError) in try used() > limit ? .exceeded : nil }
        guard let finding else { return true }
        exceeded(finding)
        return false
    }

    /// The processor time of a process and its descendants, as `/proc` lists them.
    static func tree(of process: Int32) -> @Sendable () throws(SystemError) -> Duration {
        let tally = Tally()
        return { () throws(SystemError) in
            let ticks = try tally.state.withLock { (tally) throws(SystemError) in try tally.look(at: process) }
            return .milliseconds(Int64(clamping: ticks.multipliedClamped(by: 1000) / ticksPerSecond))
        }
    }

    private final class Tally: Sendable {
        let state = Mutex(ProcessorTally())
    }

    private static let ticksPerSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
}
