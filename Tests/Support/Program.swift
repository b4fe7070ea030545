import Foundation

/// A program, run to its end. No thread of the pool waits for it, because those are few.
public struct Program: Sendable {
    public let status: Int32
    public let output: String
    public let errors: String

    /// `annex` with arguments.
    public static func annex(_ arguments: String..., in folder: TemporaryFolder) async throws -> Program {
        try await annex(arguments, in: folder)
    }

    public static func annex(_ arguments: [String], in folder: TemporaryFolder) async throws -> Program {
        try await run("annex", arguments, in: folder)
    }

    /// A program of the system, found on the path, with its arguments.
    public static func tool(_ command: [String], environment: [String: String] = [:]) async throws -> Program {
        try await run("/usr/bin/env", command, in: TemporaryFolder(), environment: environment)
    }

    public static func isThere(tool name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }

    /// Any executable product by its name, or any program by its path.
    /// - Parameter environment: variables beside those of this process.
    public static func run(
        _ name: String, _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
    ) async throws -> Program {
        let process = Process()
        process.executableURL =
            name.hasPrefix("/") ? URL(filePath: name) : ExampleBundles.products.appending(path: name)
        process.arguments = arguments
        process.environment = Self.environment.merging(environment) { $1 }
        process.currentDirectoryURL = folder.url
        // The output goes to files and not to pipes, so that a program does not wait for a reader.
        let output = folder.url.deletingLastPathComponent().appending(path: "annex-out-\(UUID().uuidString)")
        let errors = output.appendingPathExtension("errors")
        defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
        for file in [output, errors] { try Data().write(to: file) }
        // The input of this process may be a terminal, or closed.
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try await finish(process)
        return Program(
            status: process.terminationStatus, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// This process's own environment, except that no test's report gets into the user's folder, and programs speak
    /// English.
    static let environment = ProcessInfo.processInfo.environment.merging(["ANNEX_REPORTS": "", "LC_ALL": "C"]) { $1 }

    private static func finish(_ process: Process) async throws {
        // Foundation reads beyond its list of this process's descriptors if there are more than about 1,350. Tests that
        // hold many give them back soon.
        await eventually { ProcText.names(in: "/proc/self/fd").count < 1_000 }
        try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in waiter.resume() }
            // A program that never ran has no end to report.
            do { try process.run() } catch { waiter.resume(throwing: error) }
        }
    }
}
