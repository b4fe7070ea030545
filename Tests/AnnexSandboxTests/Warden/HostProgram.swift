import AnnexTestSupport
import Foundation

/// A running `holds-a-sandbox`: a separate host program that a test may kill.
final class HostProgram {
    private let process: ChildProcess
    /// The pipe closes when this object is freed.
    private let output = Pipe()
    private let pieces: AsyncStream<Data>
    private var text = ""

    /// - Parameter through: a command that executes another command, which is put before the program.
    init(through command: [String] = [], _ arguments: String...) throws {
        let program = ChildProcess.executable("holds-a-sandbox").path
        let (pieces, report) = AsyncStream.makeStream(of: Data.self)
        self.pieces = pieces
        output.fileHandleForReading.readabilityHandler = { handle in
            let piece = handle.availableData
            if piece.isEmpty {
                handle.readabilityHandler = nil
                report.finish()
            } else {
                report.yield(piece)
            }
        }
        process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), arguments: command + [program] + arguments,
            output: .file(output.fileHandleForWriting))
        // Only the program has another copy of this descriptor. So the end of the program is the end of the output.
        try output.fileHandleForWriting.close()
    }

    deinit {
        kill()
    }

    var number: Int32 { process.number }

    func kill() {
        process.signal(SIGKILL)
    }

    /// The program's value for this key. The function waits for the value. The result is nil if the program ended
    /// without it.
    func value(of key: String) async -> String? {
        if let value = find(key) { return value }
        for await piece in pieces {
            text += String(decoding: piece, as: UTF8.self)
            if let value = find(key) { return value }
        }
        return nil
    }

    func number(of key: String) async -> Int32? { await value(of: key).flatMap { Int32($0) } }

    /// Searches only whole lines.
    private func find(_ key: String) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }
}
