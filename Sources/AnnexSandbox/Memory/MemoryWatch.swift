internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Watches the memory of a process and its descendants where the machine gives no control group.
///
/// `RLIMIT_DATA` bounds private memory in the kernel; what it does not count is memory in files without a name, mapped
/// or only held open. That is looked at ten times a second, and the report says `watched` rather than `enforced`.
final class MemoryWatch: Sendable {
    static let interval = Duration.milliseconds(100)

    private let process: Int32
    private let limit: UInt64
    private let loop: EventLoop
    private let exceeded: @Sendable () -> Void
    private let timer = Mutex<EventLoop.Timer?>(nil)
    /// SYNC: relaxed everywhere, because it orders nothing: one look too many changes nothing.
    private let isOver = Atomic<Bool>(false)

    /// - Parameter process: its number on the host, which stays its own until the warden has reaped it.
    init(of process: Int32, limit: UInt64, on loop: EventLoop, exceeded: @escaping @Sendable () -> Void) {
        self.process = process
        self.limit = limit
        self.loop = loop
        self.exceeded = exceeded
        again()
    }

    deinit {
        timer.withLock { $0.take() }?.cancel()
    }

    /// Nothing is watched any more.
    func finish() {
        isOver.store(true, ordering: .relaxed)
        timer.withLock { $0.take() }?.cancel()
    }

    /// What it uses now, in bytes, as one look sees it.
    var use: UInt64 { Self.use(of: process) }

    private func again() {
        guard !isOver.load(ordering: .relaxed) else { return }
        let next = loop.schedule(after: Self.interval) { [weak self] in self?.look() }
        timer.withLock { $0 = next }
    }

    private func look() {
        guard !isOver.load(ordering: .relaxed) else { return }
        if Self.exceeds(limit, process) {
            finish()
            exceeded()
        } else {
            again()
        }
    }

    /// What each uses for itself is quick to ask, and counts twice what they share: only where that is too much, the
    /// shares are asked for.
    private static func exceeds(_ limit: UInt64, _ process: Int32) -> Bool {
        let members = ProcessTree.members(of: process)
        guard members.reduce(0, { $0 + use(of: $1) }) > limit else { return false }
        return members.count == 1 || use(of: members) > limit
    }

    /// Bytes of private memory, and of nameless files: mapped ones as the kernel counts them, or what its open ones
    /// hold, whichever is more. One that is both would be counted twice by the sum.
    static func use(of process: Int32) -> UInt64 {
        let status = TextFile.read("/proc/\(process)/status") ?? ""
        let shared = kibibytes("RssShmem:", in: status)
        return kibibytes("RssAnon:", in: status) + max(shared, openMemory(of: [process]))
    }

    /// The same for several together; a page that many share counts once.
    private static func use(of members: [Int32]) -> UInt64 {
        var own: UInt64 = 0
        var shared: UInt64 = 0
        for process in members {
            let shares = TextFile.read("/proc/\(process)/smaps_rollup") ?? ""
            own += kibibytes("Pss_Anon:", in: shares)
            shared += kibibytes("Pss_Shmem:", in: shares)
        }
        return own + max(shared, openMemory(of: members))
    }

    private static func kibibytes(_ key: String, in status: String) -> UInt64 {
        for line in status.split(separator: "\n") where line.hasPrefix(key) {
            let value = line.dropFirst(key.count).drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
            return min(UInt64(value) ?? 0, .max >> 11) << 10
        }
        return 0
    }

    /// What their descriptors hold of files without a name, each file once.
    private static func openMemory(of members: [Int32]) -> UInt64 {
        var files: [UInt64: UInt64] = [:]
        for process in members { addOpenMemory(of: process, to: &files) }
        return files.values.reduce(0, +)
    }

    private static func addOpenMemory(of process: Int32, to files: inout [UInt64: UInt64]) {
        let folder = "/proc/\(process)/fd"
        guard let directory = try? Descriptor.directory(folder), let entries = try? directory.entries(atMost: 4096)
        else { return }
        for entry in entries {
            guard let name = entry.name else { continue }
            var status = stat()
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            guard unsafe stat("\(folder)/\(name)", &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 0 {
                files[UInt64(status.st_ino)] = UInt64(max(status.st_blocks, 0)) * 512
            }
        }
    }
}
