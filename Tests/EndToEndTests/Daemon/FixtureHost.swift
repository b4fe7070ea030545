import AnnexTestSupport
import Foundation

/// `connects-to-a-daemon`, running: a host in a process of its own.
final class FixtureHost: Sendable {
    private let process: Process
    private let folder: TemporaryFolder

    /// - Parameter user: the user of the process, if it is another one.
    init(_ arguments: [String], as user: Int? = nil) throws {
        folder = try TemporaryFolder()
        process = Process()
        let program = ExampleBundles.products.appending(path: "connects-to-a-daemon")
        if let user {
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments =
                ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", program.path] + arguments
        } else {
            process.executableURL = program
            process.arguments = arguments
        }
        let output = folder.url.appending(path: "out")
        try Data().write(to: output)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    deinit {
        kill()
    }

    func kill() {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    func signal(_ number: Int32) {
        if process.isRunning { Foundation.kill(process.processIdentifier, number) }
    }

    var output: String {
        (try? String(contentsOf: folder.url.appending(path: "out"), encoding: .utf8)) ?? ""
    }

    /// The host's first line.
    func firstLine() async throws -> String {
        await eventually { output.contains("\n") || !process.isRunning }
        return output.split(separator: "\n").first.map(String.init) ?? ""
    }

    /// The host's whole output.
    func lastLine() async -> String {
        await eventually { !process.isRunning }
        return output.split(separator: "\n").last.map(String.init) ?? ""
    }
}
