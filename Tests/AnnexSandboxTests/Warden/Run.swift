import AnnexLinux

@testable import AnnexLaunch

/// A launch under way: its events and its output.
struct Run: ~Copyable, Sendable {
    let recording: Recording
    let output: Descriptor

    /// Waits for its end and reads its output: `key=value` lines.
    func world() async throws -> [String: String] {
        await recording.finish()
        return try read()
    }

    /// All output until every holder of the pipe's other end is gone.
    func read() throws -> [String: String] {
        let text = String(decoding: try output.readAll(atMost: 1 << 16), as: UTF8.self)
        var world: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            world[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        return world
    }
}
