internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The name of a launch's group: `annex.<owner's pid>.<owner's start time>.<count>`.
///
/// Pid and start time together name one process for ever, so that the next start can tell the
/// leavings of a broker that was killed from the groups of one that lives.
package struct ControlGroupName: Hashable, Sendable {
    let owner: pid_t
    let started: UInt64
    let count: UInt64

    var text: String { "annex.\(owner).\(started).\(count)" }

    /// SYNC: relaxed, because only that no two counts are the same matters.
    private static let counter = Atomic<UInt64>(0)

    /// A name that this process has not used yet.
    package static func next() -> String {
        let count = counter.add(1, ordering: .relaxed).newValue
        let owner = getpid()
        return ControlGroupName(owner: owner, started: startTime(of: owner) ?? 0, count: count).text
    }

    init(owner: pid_t, started: UInt64, count: UInt64) {
        self.owner = owner
        self.started = started
        self.count = count
    }

    /// Reads a directory's name back; nil for every name that is not ours.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "annex", let owner = pid_t(parts[1]),
            let started = UInt64(parts[2]), let count = UInt64(parts[3])
        else { return nil }
        self.init(owner: owner, started: started, count: count)
    }

    /// Whether the process that made the name still lives.
    var isOwned: Bool { Self.startTime(of: owner) == started }

    /// Clock ticks after boot, from field 22 of `/proc/<pid>/stat`; nil when there is no such process.
    static func startTime(of process: pid_t) -> UInt64? {
        // The second field is the program's name in brackets and may hold anything, brackets too.
        guard let text = TextFile.read("/proc/\(process)/stat"), let bracket = text.lastIndex(of: ")") else {
            return nil
        }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        return fields.count > 19 ? UInt64(fields[19]) : nil
    }
}
