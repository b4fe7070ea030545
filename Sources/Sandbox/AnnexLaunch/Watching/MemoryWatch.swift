internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the memory of a process and its descendants, if no control group limits all of this memory.
///
/// The kernel limits private memory by `RLIMIT_DATA`. This limit does not count the page tables that the kernel keeps.
/// It also does not count nameless files (memfds and deleted files), which may be mapped or only held open. This class
/// adds up memory of all these kinds ten times a second. The report of a sandbox with such a watch says that the limit
/// of memory is `watched`, and not `enforced`.
final class MemoryWatch: Watched {
    static let interval = Duration.milliseconds(100)

    private let process: Int32
    private let hasReaper: Bool
    private let limit: UInt64
    private let sight: Sight
    private let exceeded: @Sendable (WatchFinding) -> Void
    /// SYNC: relaxed, because a single number orders no other data.
    private let last = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - process: the process's number on the host. The kernel does not reuse this number before the warden has
    ///     reaped the process.
    ///   - hasReaper: whether that process is a reaper and the program is its child. A reaper belongs to Annex and is
    ///     not counted.
    ///   - isAlive: whether the process is still running. The process's handle gives the answer.
    ///   - exceeded: called at most once, on the watch thread.
    init(
        of process: Int32, hasReaper: Bool, limit: UInt64, isAlive: @escaping @Sendable () -> Bool = { true },
        exceeded: @escaping @Sendable (WatchFinding) -> Void
    ) {
        self.process = ProcNumber.listed(process)
        self.hasReaper = hasReaper
        self.limit = limit
        sight = Sight(isAlive)
        self.exceeded = exceeded
    }

    /// The program's own use at the last check, in bytes; 0 before the first check.
    var use: UInt64 { last.load(ordering: .relaxed) }

    func check() -> Bool {
        let finding = sight.check { () throws(SystemError) in
            _ = try TextFile.contents(of: "/proc/\(process)/status")
            return try exceeds() ? .exceeded : nil
        }
        guard let finding else { return true }
        exceeded(finding)
        return false
    }

    /// Whether the use exceeds the limit. The use of each single process is quick to read, but the sum of these numbers
    /// counts shared memory several times. The exact shares are read only if that sum exceeds the limit. The processes
    /// are read one after another. If a process ends after it was read, the shares of the other processes grow. Then
    /// the pages that the ended process shared are counted too high. Therefore two successive readings must exceed the
    /// limit.
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

    /// The processes to count. The program comes first.
    private func members() throws(SystemError) -> [Int32] {
        Array(try ProcessTree.members(of: process).dropFirst(hasReaper ? 1 : 0))
    }

    /// The use of one process in bytes: private memory plus nameless files. The files' use is the larger of two
    /// numbers: the kernel's count of mapped memory, and the size of open files. The sum of the two numbers would count
    /// a file twice if it is both mapped and open.
    static func use(of process: Int32) throws(SystemError) -> UInt64 {
        guard let (thread, status) = try livingThread(of: process) else { return 0 }
        let mapped = ProcessMemory(status: status)
        return mapped.own.addingClamped(max(mapped.shared, try NamelessFiles.memory(of: [thread]).bytes))
    }

    /// The use of several processes together. A page or an address space that several processes share counts only once.
    private static func use(of members: [Int32]) throws(SystemError) -> UInt64 {
        var tellers: [Int32] = []
        for process in members {
            if let teller = try livingThread(of: process) { tellers.append(teller.thread) }
        }
        var total = ProcessMemory()
        // Address spaces are compared before they are measured. If two processes share an address space, only one of
        // them is measured. If one of the two executes a program between comparison and measurement, they no longer
        // share anything. Then the memory of the process that is not measured is missing from this sum. But no memory
        // is counted twice.
        for thread in AddressSpaces(of: tellers).processes {
            let share = try share(of: thread)
            total.own = total.own.addingClamped(share.own)
            total.shared = total.shared.addingClamped(share.shared)
        }
        return total.own.addingClamped(max(total.shared, try NamelessFiles.memory(of: tellers).bytes))
    }

    /// The first of a process's threads that has not ended, with the text of its status; nil if all threads have
    /// ended. The process is measured through this thread, because the kernel shows neither memory nor files of an
    /// ended thread.
    private static func livingThread(of process: Int32) throws(SystemError) -> (thread: Int32, status: String)? {
        let own = try status(of: process)
        if own.isEmpty || ProcessMemory.isThere(in: own) { return own.isEmpty ? nil : (process, own) }
        for thread in try ProcessTree.threads(of: process) where thread != process {
            let status = try status(of: thread)
            if ProcessMemory.isThere(in: status) { return (thread, status) }
        }
        return nil
    }

    /// The text of a thread's status; empty if the thread has ended.
    private static func status(of thread: Int32) throws(SystemError) -> String {
        try ProcessTree.unlessGone("") { () throws(SystemError) in
            try TextFile.contents(of: "/proc/\(thread)/status")
        }
    }

    /// The process's share of the memory that it has mapped. If the process executed an unreadable file and cannot be
    /// examined, the result is all memory that it has mapped.
    static func share(of process: Int32) throws(SystemError) -> ProcessMemory {
        let status = try status(of: process)
        do throws(SystemError) {
            return ProcessMemory(shares: try TextFile.contents(of: "/proc/\(process)/smaps_rollup"), status: status)
        } catch {
            return ProcessMemory(status: status)
        }
    }
}
