import Foundation

/// A program that was built with the tests, run to its end.
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

    /// Any executable product by its name, or any program by its path.
    public static func run(
        _ name: String, _ arguments: [String], in folder: TemporaryFolder
    ) async throws -> Program {
        let process = Process()
        process.executableURL =
            name.hasPrefix("/") ? URL(filePath: name) : ExampleBundles.products.appending(path: name)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        // Files rather than pipes: a program whose output nobody reads must not wait for a reader.
        let output = folder.url.deletingLastPathComponent().appending(path: "annex-out-\(UUID().uuidString)")
        let errors = output.appendingPathExtension("errors")
        defer { for file in [output, errors] { try? FileManager.default.removeItem(at: file) } }
        for file in [output, errors] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume() }
        }
        return Program(
            status: process.terminationStatus, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }
}
