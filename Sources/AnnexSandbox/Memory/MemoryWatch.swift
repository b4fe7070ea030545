internal import AnnexLinux
internal import Synchronization

/// Watches the memory of a process and its descendants where the machine gives no control group.
///
/// `RLIMIT_DATA` bounds private memory in the kernel; what it does not count is memory in files without a name, mapped
/// or only held open. That is looked at ten times a second, and the report says `watched` rather than `enforced`.
final class MemoryWatch: Watched {
    static let interval = Duration.milliseconds(100)

    private let process: Int32
    private let hasReaper: Bool
    private let limit: UInt64
    private let exceeded: @Sendable () -> Void
    /// SYNC: relaxed: a number by itself.
    private let last = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - process: its number on the host, which stays its own until the warden has reaped it.
    ///   - hasReaper: whether that is a reaper, which is Annex's and counts for nobody, and the program its child.
    ///   - exceeded: told at most once, on the watches' thread.
    init(of process: Int32, hasReaper: Bool, limit: UInt64, exceeded: @escaping @Sendable () -> Void) {
        self.process = process
        self.hasReaper = hasReaper
        self.limit = limit
        self.exceeded = exceeded
    }

    /// What the program itself used when it was looked at last, in bytes; 0 before the first look.
    var use: UInt64 { last.load(ordering: .relaxed) }

    func look() -> Bool {
        guard exceeds() else { return true }
        exceeded()
        return false
    }

    /// What each uses for itself is quick to ask, and counts twice what they share: only where that is too much, the
    /// shares are asked for. They are read one after another, and a page whose other users end meanwhile is counted in
    /// full once more: what is too much must be so twice.
    private func exceeds() -> Bool {
        let members = members
        let uses = members.map(Self.use(of:))
        last.store(uses.first ?? 0, ordering: .relaxed)
        guard uses.reduce(0, { $0.addingClamped($1) }) > limit else { return false }
        return members.count == 1
            || (1...2).allSatisfy { _ in Self.use(of: self.members) > limit }
    }

    /// The program comes first.
    private var members: [Int32] { Array(ProcessTree.members(of: process).dropFirst(hasReaper ? 1 : 0)) }

    /// Bytes of private memory, and of nameless files: mapped ones as the kernel counts them, or what its open ones
    /// hold, whichever is more. One that is both would be counted twice by the sum.
    static func use(of process: Int32) -> UInt64 {
        let mapped = mapped(by: process)
        return mapped.own.addingClamped(max(mapped.shared, NamelessFiles.memory(of: [process]).bytes))
    }

    /// The same for several together; a page that many share counts once, and so does a whole address space.
    private static func use(of members: [Int32]) -> UInt64 {
        var own: UInt64 = 0
        var shared: UInt64 = 0
        // Told apart before they are looked at: who executes in between shares nothing by then.
        for process in AddressSpaces(of: members).processes {
            let share = share(of: process)
            own = own.addingClamped(share.own)
            shared = shared.addingClamped(share.shared)
        }
        return own.addingClamped(max(shared, NamelessFiles.memory(of: members).bytes))
    }

    /// Its part of what it has mapped; all of it where it executed what may not be read, and lets nobody look.
    static func share(of process: Int32) -> (own: UInt64, shared: UInt64) {
        guard let shares = TextFile.read("/proc/\(process)/smaps_rollup") else { return mapped(by: process) }
        return (kibibytes("Pss_Anon:", in: shares), kibibytes("Pss_Shmem:", in: shares))
    }

    private static func mapped(by process: Int32) -> (own: UInt64, shared: UInt64) {
        let status = TextFile.read("/proc/\(process)/status") ?? ""
        return (kibibytes("RssAnon:", in: status), kibibytes("RssShmem:", in: status))
    }

    private static func kibibytes(_ key: String, in status: String) -> UInt64 {
        for line in status.split(separator: "\n") where line.hasPrefix(key) {
            let value = line.dropFirst(key.count).drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
            return min(UInt64(value) ?? 0, .max >> 11) << 10
        }
        return 0
    }
}
