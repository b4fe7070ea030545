import Foundation

/// Counts that must be the same before some work and after it. A leak of any kind shows as a difference.
public struct MachineCounts: Sendable, CustomStringConvertible {
    /// Open descriptors of this process, except timers. The timers belong to the runtime, which has one for each clock
    /// that it uses. None of them belongs to Annex.
    public private(set) var descriptors: Int
    /// Threads of this process.
    public private(set) var threads: Int
    /// Wardens of this process's brokers.
    public private(set) var wardens: Int
    /// The open descriptors of the wardens.
    public private(set) var wardenDescriptors: Int
    /// The children of the wardens: extensions, including ended ones that have not been reaped yet.
    public private(set) var extensions: Int
    /// This process's own children, including ended ones that have not been reaped yet.
    public private(set) var children: Int
    /// Control groups that a broker in this process made.
    public private(set) var controlGroups: Int
    /// Mounts in this process's namespace that a warden could have made.
    public private(set) var mounts: Int

    private static let all: [any WritableKeyPath<MachineCounts, Int> & Sendable] = [
        \.descriptors, \.threads, \.wardens, \.wardenDescriptors, \.extensions, \.children, \.controlGroups, \.mounts,
    ]

    private static func now() -> MachineCounts {
        let wardens = ProcessTable.wardens(of: getpid())
        return MachineCounts(
            descriptors: OpenDescriptors.count(but: "anon_inode:[timerfd]"),
            threads: ProcText.names(in: "/proc/self/task").count,
            wardens: wardens.count,
            wardenDescriptors: wardens.map { ProcText.names(in: "/proc/\($0)/fd").count }.reduce(0, +),
            extensions: ProcessTable.children(of: wardens).count,
            children: ProcessTable.children(of: [getpid()]).count,
            controlGroups: ownControlGroups(), mounts: ProcText.mountsOfAnnex().count)
    }

    /// The lowest value of each count within a fifth of a second. A descriptor that is open only for a short time is no
    /// leak.
    public static func steady() async -> MachineCounts {
        // When the first task sleeps, the runtime creates its objects for sleeping tasks. So a task sleeps here before
        // the first count.
        try? await Task.sleep(for: .milliseconds(10))
        var lowest = now()
        for _ in 0..<20 {
            try? await Task.sleep(for: .milliseconds(10))
            let counts = now()
            for count in all { lowest[keyPath: count] = min(lowest[keyPath: count], counts[keyPath: count]) }
        }
        return lowest
    }

    /// Runs a body until further runs add nothing to the counts, and returns these counts. On a busy machine, the
    /// runtime may create its permanent objects late. A leak continues to grow, so it shows in the end.
    public static func warmed(by body: () async throws -> Void) async rethrows -> MachineCounts {
        try await body()
        var counts = await steady()
        for _ in 0..<10 {
            try await body()
            let next = await steady()
            guard next.isMore(than: counts) else { return next }
            counts = next
        }
        return counts
    }

    /// Waits until no count is higher than before, but for at most 200 tries, and returns the counts. Other threads
    /// release their resources only when they get the processor.
    public static func settled(to before: MachineCounts) async -> MachineCounts {
        var counts = await steady()
        for _ in 0..<200 where counts.isMore(than: before) { counts = await steady() }
        return counts
    }

    /// Some threads belong to the runtime, which has at most one for each processor.
    public func isMore(than before: MachineCounts) -> Bool {
        var before = before
        before.threads += ProcessInfo.processInfo.activeProcessorCount
        return Self.all.contains { self[keyPath: $0] > before[keyPath: $0] }
    }

    public var description: String {
        "descriptors \(descriptors), threads \(threads), wardens \(wardens) with \(wardenDescriptors) descriptors, "
            + "extensions \(extensions), children \(children), control groups \(controlGroups), mounts \(mounts)"
    }

    private static func ownControlGroups() -> Int {
        let own = ".\(getpid())."
        return ProcText.lines(of: "/proc/self/mountinfo").compactMap { line -> Int? in
            let fields = line.split(separator: " ")
            guard line.contains(" - cgroup"), fields.count > 4 else { return nil }
            return groups(holding: own, below: String(fields[4]), depth: 3)
        }.reduce(0, +)
    }

    private static func groups(holding part: String, below folder: String, depth: Int) -> Int {
        guard depth > 0 else { return 0 }
        return ProcText.names(in: folder).reduce(0) { count, name in
            if name.hasPrefix("annex."), name.contains(part) { return count + 1 }
            var isFolder: ObjCBool = false
            let path = folder + "/" + name
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
                return count
            }
            return count + groups(holding: part, below: path, depth: depth - 1)
        }
    }
}
