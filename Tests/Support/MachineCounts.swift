import Foundation

/// What must be the same before and after: a leak of any kind shows as a difference.
public struct MachineCounts: Equatable, Sendable, CustomStringConvertible {
    /// Open descriptors of this process.
    public var descriptors: Int
    /// Threads of this process.
    public var threads: Int
    /// Wardens of this process's brokers.
    public var wardens: Int
    /// Their children: extensions, also those that nobody has reaped yet.
    public var extensions: Int
    /// Control groups that a broker in this process made.
    public var controlGroups: Int
    /// Lines of this process's `mountinfo`.
    public var mounts: Int

    public static func now() -> MachineCounts {
        let wardens = ownWardens()
        return MachineCounts(
            descriptors: list("/proc/self/fd").count, threads: list("/proc/self/task").count,
            wardens: wardens.count, extensions: children(of: wardens).count, controlGroups: ownControlGroups(),
            mounts: lines(of: "/proc/self/mountinfo").count { !$0.contains("annex-inner") })
    }

    public var description: String {
        "descriptors \(descriptors), threads \(threads), wardens \(wardens), "
            + "extensions \(extensions), control groups \(controlGroups), mounts \(mounts)"
    }

    /// Numbers of the processes with this command name. A dead one that only waits for the system's first process to
    /// take note of it holds nothing any more and is not counted.
    public static func processes(named name: String) -> [Int32] {
        list("/proc").compactMap(Int32.init).filter { process in
            guard lines(of: "/proc/\(process)/comm").first == name else { return false }
            return !lines(of: "/proc/\(process)/status").contains { $0.hasPrefix("State:\tZ") }
        }
    }

    /// A warden holds a pidfd of its broker under number 4.
    private static func ownWardens() -> Set<Int32> {
        Set(processes(named: "annex-warden").filter { lines(of: "/proc/\($0)/fdinfo/4").contains("Pid:\t\(getpid())") })
    }

    private static func children(of parents: Set<Int32>) -> [Int32] {
        list("/proc").compactMap(Int32.init).filter { process in
            let parent = lines(of: "/proc/\(process)/status").first { $0.hasPrefix("PPid:\t") }
            return parent.flatMap { Int32($0.dropFirst(6)) }.map(parents.contains) ?? false
        }
    }

    private static func ownControlGroups() -> Int {
        let own = ".\(getpid())."
        return lines(of: "/proc/self/mountinfo").compactMap { line -> Int? in
            let fields = line.split(separator: " ")
            guard line.contains(" - cgroup"), fields.count > 4 else { return nil }
            return groups(holding: own, below: String(fields[4]), depth: 3)
        }.reduce(0, +)
    }

    private static func groups(holding part: String, below folder: String, depth: Int) -> Int {
        guard depth > 0 else { return 0 }
        return list(folder).reduce(0) { count, name in
            if name.hasPrefix("annex."), name.contains(part) { return count + 1 }
            var isFolder: ObjCBool = false
            let path = folder + "/" + name
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
                return count
            }
            return count + groups(holding: part, below: path, depth: depth - 1)
        }
    }

    private static func list(_ folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func lines(of file: String) -> [String] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
}
