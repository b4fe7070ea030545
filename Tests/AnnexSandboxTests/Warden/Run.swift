import AnnexLinux

@testable import AnnexLaunch

/// A launch in progress, with its events and its output.
struct Run: ~Copyable, Sendable {
    let recording: Recording
    let output: Descriptor

    /// Waits for the end of the launch and reads its output as `key=value` lines.
    func world() async throws -> [String: String] {
        await recording.finish()
        return try read()
    }

    /// Reads all output until every process that holds the pipe's other end is gone.
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
