internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// Finds the members and processes that hold a lock, for a member that could not get the lock in time. Runs on the
/// lane of the group.
final class LockHolders: Sendable {
    private struct Search {
        var moment: UInt64 = 0
        var found: [ProcessLocks] = []
    }

    /// The time, in nanoseconds, for which the result of a search among all processes is used again. So the members
    /// cannot make this process search more than once a second.
    private static let pause: UInt64 = 1_000_000_000

    private let group: OpenGroup
    /// The inode number of the file of locks.
    private let file: UInt64
    private let last = Mutex(Search())

    init(of group: OpenGroup) throws(SystemError) {
        self.group = group
        file = try group.statusOfLocks().inode
    }

    /// The names of the members that this process serves and that hold a lock in this range. If there are none, the
    /// result names other processes that hold a lock in this range.
    func holders(of range: FileRange, besides asking: MemberLocks?) -> [String] {
        var names: Set<String> = []
        for locks in group.locksOfMembers where locks !== asking {
            if let ranges = try? locks.ranges(), ranges.contains(where: range.overlaps) { names.insert(locks.holder) }
        }
        guard names.isEmpty else { return names.sorted() }
        return processes().filter { $0.ranges.contains(where: range.overlaps) }.map(\.name).sorted()
    }

    private func processes() -> [ProcessLocks] {
        let now = MonotonicClock.now()
        return last.withLock { last in
            guard last.moment == 0 || now >= last.moment + Self.pause else { return last.found }
            last = Search(moment: now, found: ProcessLocks.all(on: file))
            return last.found
        }
    }
}

/// The locks of another process on one file.
struct ProcessLocks: Sendable {
    /// The name of the process, for a person to read.
    let name: String
    let ranges: [FileRange]

    private static let mostProcesses = 32_768
    /// The longest time for a search, because the group's requests wait meanwhile. On a machine with very many
    /// processes, the search ends before it has looked at all processes.
    private static let longest = Duration.milliseconds(200)
    private static let mostDescriptors = 4096

    /// The locks of this user's other processes, as far as the kernel shows them.
    static func all(on file: UInt64) -> [ProcessLocks] {
        guard let list = try? Descriptor.directory("/proc").entries(atMost: mostProcesses) else { return [] }
        let deadline = MonotonicClock.deadline(after: longest)
        var found: [ProcessLocks] = []
        for process in list.compactMap(\.name).compactMap({ Int32($0) }) where process != getpid() {
            guard MonotonicClock.now() < deadline else { break }
            let ranges = ranges(of: process, on: file)
            if !ranges.isEmpty { found.append(ProcessLocks(name: name(of: process), ranges: ranges)) }
        }
        return found
    }

    private static func ranges(of process: Int32, on file: UInt64) -> [FileRange] {
        let folder = "/proc/\(process)/fdinfo"
        guard let entries = try? Descriptor.directory(folder).entries(atMost: mostDescriptors) else { return [] }
        return entries.compactMap(\.name).flatMap { number -> [FileRange] in
            guard let held = try? HeldRange.all(of: "\(folder)/\(number)") else { return [] }
            return held.filter { $0.inode == file }.map(\.range)
        }
    }

    private static func name(of process: Int32) -> String {
        let name = try? Descriptor.open("/proc/\(process)/comm", O_RDONLY).readAll(atMost: 64)
        guard let text = name?.split(separator: UInt8(ascii: "\n")).first else { return "process \(process)" }
        return "process \(process) (\(Escaped(String(decoding: text, as: UTF8.self), limit: 32)))"
    }
}
