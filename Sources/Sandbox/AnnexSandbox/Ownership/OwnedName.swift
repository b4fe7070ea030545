internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The name of a control group or folder that says whose it is: `annex.<pid namespace>.<owner's pid>.<owner's start
/// time>.<count>`.
///
/// Within a pid namespace, pid and start time together name one process for ever, so that the next start can tell the
/// leavings of a broker that was killed from the groups of one that lives.
package struct OwnedName: Hashable, Sendable {
    let space: UInt64
    let owner: pid_t
    let started: UInt64
    let count: UInt64

    /// The process that made the name.
    struct Owner: Hashable {
        let space: UInt64
        let owner: pid_t
        let started: UInt64
    }

    var whose: Owner { Owner(space: space, owner: owner, started: started) }

    var text: String { "annex.\(space).\(owner).\(started).\(count)" }

    /// SYNC: relaxed, because only that no two counts are the same matters.
    private static let counter = Atomic<UInt64>(0)

    /// A name that this process has not used yet.
    package static func next() -> String {
        let count = counter.add(1, ordering: .relaxed).newValue
        let own = own.withLock { own in
            // A forked child of the host is another process.
            if let own, own.owner == getpid() { return own }
            let found = Owner(space: ownSpace, owner: getpid(), started: startTime(of: getpid()) ?? 0)
            own = found
            return found
        }
        return OwnedName(space: own.space, owner: own.owner, started: own.started, count: count).text
    }

    /// Asked of the kernel once.
    private static let own = Mutex<Owner?>(nil)

    init(space: UInt64 = ownSpace, owner: pid_t, started: UInt64, count: UInt64) {
        self.space = space
        self.owner = owner
        self.started = started
        self.count = count
    }

    /// Reads a directory's name back; nil for every name that is not ours.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "annex", let space = UInt64(parts[1]), let owner = pid_t(parts[2]),
            let started = UInt64(parts[3]), let count = UInt64(parts[4])
        else { return nil }
        self.init(space: space, owner: owner, started: started, count: count)
    }

    /// Whether the process that made the name still lives. Of another namespace's processes nobody here can tell, so
    /// that theirs count as owned.
    package var isOwned: Bool {
        guard space == Self.ownSpace else { return true }
        if let time = Self.startTime(of: owner) { return time == started }
        // Whoever cannot be asked, for want of a descriptor, is not gone: its extensions would be ended.
        return kill(owner, 0) == 0 || errno != ESRCH
    }

    /// The number of this process's pid namespace; 0 where it cannot be asked.
    static let ownSpace: UInt64 = {
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        return unsafe stat("/proc/self/ns/pid", &status) == 0 ? UInt64(status.st_ino) : 0
    }()

    /// Clock ticks after boot; nil when there is no such process.
    static func startTime(of process: pid_t) -> UInt64? { ProcessStat(process)?.started }
}
