import Foundation

/// A program that was run to its end. The wait blocks no thread of the pool, because the pool has few threads.
public struct Program: Sendable {
    public let status: Int32
    public let output: String
    public let errors: String

    /// Runs `annex` with arguments.
    public static func annex(_ arguments: String..., in folder: TemporaryFolder) async throws -> Program {
        try await annex(arguments, in: folder)
    }

    public static func annex(_ arguments: [String], in folder: TemporaryFolder) async throws -> Program {
        try await run("annex", arguments, in: folder)
    }

    /// Runs a program of the system, found on the path, with its arguments.
    public static func tool(_ command: [String], environment: [String: String] = [:]) async throws -> Program {
        try await run("/usr/bin/env", command, in: TemporaryFolder(), environment: environment)
    }

    public static func isThere(tool name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Runs any executable product by its name, or any program by its path.
    /// - Parameter environment: variables in addition to those of this process.
    public static func run(
        _ name: String, _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
    ) async throws -> Program {
        // The output goes to files and not to pipes, so that a program does not wait for a reader.
        let output = folder.url.deletingLastPathComponent().appending(path: "annex-out-\(UUID().uuidString)")
        let errors = output.appendingPathExtension("errors")
        defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
        for file in [output, errors] { try Data().write(to: file) }
        let child = try ChildProcess(
            ChildProcess.executable(name), arguments: arguments,
            environment: Self.environment.merging(environment) { $1 }, in: folder.url,
            output: .file(try FileHandle(forWritingTo: output)), errors: .file(try FileHandle(forWritingTo: errors)))
        let status =
            switch await child.ended() {
            case .exited(let status): status
            case .killed(let signal): signal
            }
        return Program(
            status: status, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// This process's own environment, with two changes. No report of a test goes to the user's folder, and programs
    /// use English.
    static let environment = ProcessInfo.processInfo.environment.merging(["ANNEX_REPORTS": "", "LC_ALL": "C"]) { $1 }
}
