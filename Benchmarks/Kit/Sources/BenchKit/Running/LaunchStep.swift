internal import Foundation

/// One step of a launch, as our launch reports tell it.
public struct LaunchStep: Codable, Sendable {
    public let name: String
    /// The median.
    public let microseconds: Double
}

extension LaunchStep {
    /// Every step of a launch, in order.
    public static func measured(by programs: Programs = .besideThis) throws -> [LaunchStep] {
        guard let path = programs.path(of: .ours("annex-launch")) else {
            throw RunFailure("annex-bench-host is not built: make bench builds it")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "annex-bench-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let words = ["launch-steps", "waiting=adaptive"]
        let printed = try ContenderProcess(path: path, words: words, folder: folder).run()
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t")
            guard parts.count == 2, let nanoseconds = Double(parts[1]) else { return nil }
            return LaunchStep(name: String(parts[0]), microseconds: nanoseconds / 1e3)
        }
    }
}
