import Foundation

/// Control groups of brokers that are gone.
public enum StaleGroups {
    /// - Parameter owners: the process numbers of those brokers. Groups of other programs must not be counted.
    public static func find(of owners: Set<Int32>) -> [String] {
        ProcText.lines(of: "/proc/self/mountinfo").filter { $0.contains(" - cgroup") }.flatMap { line -> [String] in
            let fields = line.split(separator: " ")
            guard fields.count > 4 else { return [] }
            return stale(below: String(fields[4]), owners)
        }
    }

    private static func stale(below folder: String, _ owners: Set<Int32>) -> [String] {
        ProcText.names(in: folder).filter { name in
            let parts = name.split(separator: ".")
            guard parts.count == 5, parts[0] == "annex", let owner = Int32(parts[2]) else { return false }
            return owners.contains(owner)
        }.map { folder + "/" + $0 }
    }
}
