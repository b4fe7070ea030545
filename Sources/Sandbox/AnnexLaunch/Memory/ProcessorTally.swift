internal import AnnexLinux

/// The processor time of a process and all its descendants in clock ticks, including descendants that have ended.
///
/// The kernel adds a child's time to its parent when the parent waits for it. If a parent ignores its children's ends,
/// their time is lost. Therefore the last known time of each process is kept too, and the larger of the two sums
/// counts. Neither sum counts a tick twice.
struct ProcessorTally {
    /// A process number identifies a process only together with its start time.
    struct Identity: Hashable {
        let process: Int32
        let started: UInt64
    }

    private var living: [Identity: UInt64] = [:]
    private var ended: UInt64 = 0

    /// - Returns: the ticks so far.
    mutating func add(_ stats: [Identity: ProcessStat]) -> UInt64 {
        let now = stats.mapValues(\.ticks)
        for (process, ticks) in living where now[process] == nil { ended = ended.addingClamped(ticks) }
        living = now
        let seen = now.values.reduce(ended) { $0.addingClamped($1) }
        return max(seen, stats.values.reduce(0) { $0.addingClamped($1.ticks.addingClamped($1.waitedTicks)) })
    }

    /// Adds the present times of all processes of the tree, and returns the ticks so far.
    mutating func look(at process: Int32) throws(SystemError) -> UInt64 {
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
