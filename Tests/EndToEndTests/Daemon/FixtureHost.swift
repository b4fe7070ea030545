import AnnexTestSupport
import Foundation

/// A running `connects-to-a-daemon`: a host in a separate process.
final class FixtureHost: Sendable {
    private let process: ChildProcess
    private let folder: TemporaryFolder

    /// - Parameter user: the user of the process; nil for the user of this process.
    init(_ arguments: [String], as user: Int? = nil) throws {
        folder = try TemporaryFolder()
        let program = ChildProcess.executable("connects-to-a-daemon")
        let command =
            if let user {
                ["setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", program.path] + arguments
            } else {
                [program.path] + arguments
            }
        let output = folder.url.appending(path: "out")
        try Data().write(to: output)
        process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), arguments: command, output: .file(try FileHandle(forWritingTo: output)))
    }

    deinit {
        kill()
    }

    func kill() {
        process.signal(SIGKILL)
    }

    func signal(_ number: Int32) {
        process.signal(number)
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
        await process.ended()
        return output.split(separator: "\n").last.map(String.init) ?? ""
    }
}
