internal import Foundation

/// Figures that the benchmark's host counts by itself. Each figure has a name and a number.
struct HostFigures {
    /// - Parameter program: the contender's name for this task of the host.
    static func measured(_ program: String, by programs: Programs) throws -> [(name: String, value: Double)] {
        guard let path = programs.path(of: .ours("annex-launch")) else {
            throw RunFailure("annex-bench-host is not built: make bench builds it")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "annex-bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let printed = try ContenderProcess(
            path: path, words: [program, "waiting=adaptive", "gap=20000000"], folder: folder
        ).run()
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            guard parts.count == 2, let value = Double(parts[1]) else { return nil }
            return (String(parts[0]), value)
        }
    }
}
