internal import AnnexLinux
internal import Synchronization

/// Watches the memory of a process and its descendants where the machine gives no control group.
///
/// `RLIMIT_DATA` bounds private memory in the kernel; what it does not count is memory in files without a name, mapped
/// or only held open. That is looked at ten times a second, and the report says `watched` rather than `enforced`.
final class MemoryWatch: Watched {
    static let interval = Duration.milliseconds(100)

    private let process: Int32
    private let limit: UInt64
    private let exceeded: @Sendable () -> Void
    /// SYNC: relaxed: a number by itself.
    private let last = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - process: its number on the host, which stays its own until the warden has reaped it.
    ///   - exceeded: told at most once, on the watches' thread.
    init(of process: Int32, limit: UInt64, exceeded: @escaping @Sendable () -> Void) {
        self.process = process
        self.limit = limit
        self.exceeded = exceeded
    }

    /// What the process itself used when it was looked at last, in bytes; 0 before the first look.
    var use: UInt64 { last.load(ordering: .relaxed) }

    func look() -> Bool {
        guard exceeds() else { return true }
        exceeded()
        return false
    }

    /// What each uses for itself is quick to ask, and counts twice what they share: only where that is too much, the
    /// shares are asked for.
    private func exceeds() -> Bool {
        let members = ProcessTree.members(of: process)
        let uses = members.map(Self.use(of:))
        last.store(uses.first ?? 0, ordering: .relaxed)
        guard uses.reduce(0, { $0.addingClamped($1) }) > limit else { return false }
        return members.count == 1 || Self.use(of: members) > limit
    }

    /// Bytes of private memory, and of nameless files: mapped ones as the kernel counts them, or what its open ones
    /// hold, whichever is more. One that is both would be counted twice by the sum.
    static func use(of process: Int32) -> UInt64 {
        let status = TextFile.read("/proc/\(process)/status") ?? ""
        let shared = kibibytes("RssShmem:", in: status)
        return kibibytes("RssAnon:", in: status).addingClamped(max(shared, NamelessFiles.memory(of: [process]).bytes))
    }

    /// The same for several together; a page that many share counts once.
    private static func use(of members: [Int32]) -> UInt64 {
        var own: UInt64 = 0
        var shared: UInt64 = 0
        for process in members {
            let shares = TextFile.read("/proc/\(process)/smaps_rollup") ?? ""
            own = own.addingClamped(kibibytes("Pss_Anon:", in: shares))
            shared = shared.addingClamped(kibibytes("Pss_Shmem:", in: shares))
        }
        return own.addingClamped(max(shared, NamelessFiles.memory(of: members).bytes))
    }

    private static func kibibytes(_ key: String, in status: String) -> UInt64 {
        for line in status.split(separator: "\n") where line.hasPrefix(key) {
            let value = line.dropFirst(key.count).drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
            return min(UInt64(value) ?? 0, .max >> 11) << 10
        }
        return 0
    }
}
