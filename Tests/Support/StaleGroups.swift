import Foundation

/// Control groups of brokers that are gone.
public enum StaleGroups {
    public static func find() -> [String] {
        let mounts = (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
        return mounts.split(separator: "\n").filter { $0.contains(" - cgroup") }.flatMap { line -> [String] in
            let fields = line.split(separator: " ")
            guard fields.count > 4 else { return [] }
            return stale(below: String(fields[4]))
        }
    }

    private static func stale(below folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            let parts = name.split(separator: ".")
            guard parts.count == 5, parts[0] == "annex", let owner = Int32(parts[2]) else { return false }
            return !FileManager.default.fileExists(atPath: "/proc/\(owner)")
        }.map { folder + "/" + $0 }
    }
}
