import Foundation

/// A program of the system's, run to its end.
struct Tool {
    let status: Int32
    /// Both streams.
    let output: String

    static func run(_ command: [String], environment: [String: String] = [:]) throws -> Tool {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Tool(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }

    static func exists(_ name: String) -> Bool {
        (try? run(["sh", "-c", "command -v \(name)"]).status) == 0
    }
}
