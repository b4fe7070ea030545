import AnnexLinux
import Glibc

/// The facts of /proc about this process's threads.
enum Threads {
    static func count(named name: String) -> Int {
        all().filter { text("/proc/self/task/\($0)/comm") == name + "\n" }.count
    }

    /// The number of times that the thread of this name has gone to sleep; -1 while the thread is awake or waits for a
    /// processor.
    static func sleeps(ofThread name: String) -> Int? {
        for thread in all() where text("/proc/self/task/\(thread)/comm") == name + "\n" {
            let lines = text("/proc/self/task/\(thread)/status").split(separator: "\n")
            guard lines.contains("State:\tS (sleeping)") else { return -1 }
            guard let line = lines.first(where: { $0.hasPrefix("voluntary_ctxt_switches:") }) else { continue }
            return line.split(separator: "\t").last.flatMap { Int($0) }
        }
        return nil
    }

    private static func all() -> [String] {
        guard let directory = opendir("/proc/self/task") else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if Int(name) != nil { found.append(name) }
        }
        return found
    }

    private static func text(_ path: String) -> String {
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(atMost: 1 << 16) else {
            return ""
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
