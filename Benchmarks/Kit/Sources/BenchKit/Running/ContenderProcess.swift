internal import Foundation

/// One contender's program, run once.
struct ContenderProcess {
    let path: String
    let words: [String]
    /// Far beyond what any slice needs: only so that one that hangs is named.
    static let patience: TimeInterval = 120

    /// - Returns: what it printed.
    func run() throws -> Data {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: watchdog)
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watchdog.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let text = String(decoding: complaint, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
            throw RunFailure("ended with \(process.terminationStatus): \(text)")
        }
        return printed
    }
}
