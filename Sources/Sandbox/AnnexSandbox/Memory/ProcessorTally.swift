internal import AnnexLinux

/// Processor time of a process and of all that descend from it, in clock ticks, also of those that have ended.
///
/// The kernel adds a child's time to its parent's when the parent waits for it. A parent that lets its children be
/// forgotten is told of none: so what each had when it was last seen is kept too, and the larger sum counts. Neither
/// counts a tick twice.
struct ProcessorTally {
    /// A number is a process's own only with the moment of its start.
    struct Identity: Hashable {
        let process: Int32
        let started: UInt64
    }

    private var living: [Identity: UInt64] = [:]
    private var ended: UInt64 = 0

    /// - Returns: the sum so far.
    mutating func add(_ stats: [Identity: ProcessStat]) -> UInt64 {
        let now = stats.mapValues(\.ticks)
        for (process, ticks) in living where now[process] == nil { ended = ended.addingClamped(ticks) }
        living = now
        let seen = now.values.reduce(ended) { $0.addingClamped($1) }
        return max(seen, stats.values.reduce(0) { $0.addingClamped($1.ticks.addingClamped($1.waitedTicks)) })
    }

    /// The same, of the processes that there are now.
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
