internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the memory of a process and its descendants where no control group bounds all of it.
///
/// `RLIMIT_DATA` bounds private memory in the kernel; what it does not count are files without a name, mapped or only
/// held open, and the kernel's own page tables. All of it is looked at ten times a second, and the report says `watched`
/// rather than `enforced`.
final class MemoryWatch: Watched {
    static let interval = Duration.milliseconds(100)

    private let process: Int32
    private let hasReaper: Bool
    private let limit: UInt64
    private let sight: Sight
    private let exceeded: @Sendable (WatchFinding) -> Void
    /// SYNC: relaxed: a number by itself.
    private let last = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - process: its number on the host, which stays its own until the warden has reaped it.
    ///   - hasReaper: whether that is a reaper, which is Annex's and counts for nobody, and the program its child.
    ///   - isAlive: whether the process has not ended, asked of its handle.
    ///   - exceeded: told at most once, on the watches' thread.
    init(
        of process: Int32, hasReaper: Bool, limit: UInt64, isAlive: @escaping @Sendable () -> Bool = { true },
        exceeded: @escaping @Sendable (WatchFinding) -> Void
    ) {
        self.process = process
        self.hasReaper = hasReaper
        self.limit = limit
        sight = Sight(isAlive)
        self.exceeded = exceeded
    }

    /// What the program itself used when it was looked at last, in bytes; 0 before the first look.
    var use: UInt64 { last.load(ordering: .relaxed) }

    func look() -> Bool {
        let finding = sight.look { () throws(SystemError) in
            _ = try TextFile.contents(of: "/proc/\(process)/status")
            return try exceeds() ? .exceeded : nil
        }
        guard let finding else { return true }
        exceeded(finding)
        return false
    }

    /// What each uses for itself is quick to ask, and counts twice what they share: only where that is too much, the
    /// shares are asked for. They are read one after another, and a page whose other users end meanwhile is counted in
    /// full once more: what is too much must be so twice.
    private func exceeds() throws(SystemError) -> Bool {
        let members = try members()
        var (sum, first) = (UInt64(0), UInt64?.none)
        for member in members {
            let use = try Self.use(of: member)
            first = first ?? use
            sum = sum.addingClamped(use)
        }
        last.store(first ?? 0, ordering: .relaxed)
        guard sum > limit else { return false }
        if members.count == 1 { return true }
        for _ in 1...2 where try Self.use(of: self.members()) <= limit { return false }
        return true
    }

    /// The program comes first.
    private func members() throws(SystemError) -> [Int32] {
        Array(try ProcessTree.members(of: process).dropFirst(hasReaper ? 1 : 0))
    }

    /// Bytes of private memory, and of nameless files: mapped ones as the kernel counts them, or what its open ones
    /// hold, whichever is more. One that is both would be counted twice by the sum.
    static func use(of process: Int32) throws(SystemError) -> UInt64 {
        guard let (thread, status) = try teller(of: process) else { return 0 }
        let mapped = ProcessMemory(status: status)
        return mapped.own.addingClamped(max(mapped.shared, try NamelessFiles.memory(of: [thread]).bytes))
    }

    /// The same for several together; a page that many share counts once, and so does a whole address space.
    private static func use(of members: [Int32]) throws(SystemError) -> UInt64 {
        var tellers: [Int32] = []
        for process in members {
            if let teller = try teller(of: process) { tellers.append(teller.thread) }
        }
        var total = ProcessMemory()
        // Told apart before they are looked at: who executes in between shares nothing by then.
        for thread in AddressSpaces(of: tellers).processes {
            let share = try share(of: thread)
            total.own = total.own.addingClamped(share.own)
            total.shared = total.shared.addingClamped(share.shared)
        }
        return total.own.addingClamped(max(total.shared, try NamelessFiles.memory(of: tellers).bytes))
    }

    /// The thread that speaks for a process, with its status: the first that has not ended. Of one that has, the kernel
    /// tells neither memory nor files, and the others may live on.
    private static func teller(of process: Int32) throws(SystemError) -> (thread: Int32, status: String)? {
        let own = try status(of: process)
        if own.isEmpty || ProcessMemory.isThere(in: own) { return own.isEmpty ? nil : (process, own) }
        for thread in try ProcessTree.threads(of: process) where thread != process {
            let status = try status(of: thread)
            if ProcessMemory.isThere(in: status) { return (thread, status) }
        }
        return nil
    }

    /// Empty where it is gone.
    private static func status(of thread: Int32) throws(SystemError) -> String {
        try ProcessTree.unlessGone("") { () throws(SystemError) in
            try TextFile.contents(of: "/proc/\(thread)/status")
        }
    }

    /// Its part of what it has mapped; all of it where it executed what may not be read, and lets nobody look.
    static func share(of process: Int32) throws(SystemError) -> ProcessMemory {
        let status = try status(of: process)
        do throws(SystemError) {
            return ProcessMemory(shares: try TextFile.contents(of: "/proc/\(process)/smaps_rollup"), status: status)
        } catch {
            return ProcessMemory(status: status)
        }
    }
}
