internal import Foundation

/// One run of one contender's program.
struct ContenderProcess {
    let path: String
    let words: [String]
    /// A folder for its output.
    let folder: URL
    /// This limit is far longer than any slice needs. It only ends a contender that hangs, so that the report can name
    /// the contender.
    static let patience: TimeInterval = 60

    /// - Returns: its output.
    func run() throws -> Data {
        let process = Process()
        // The output goes to files and not to pipes, so that a program with long error messages does not wait for its
        // reader.
        let output = try file("output")
        let errors = try file("errors")
        process.executableURL = URL(filePath: path)
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: watchdog)
        process.waitUntilExit()
        watchdog.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw RunFailure("ended with \(process.terminationStatus): \(try complaint(errors))")
        }
        try output.seek(toOffset: 0)
        return try output.readToEnd() ?? Data()
    }

    private func file(_ name: String) throws -> FileHandle {
        let url = folder.appending(path: name)
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw RunFailure("\(url.path) cannot be made")
        }
        return try FileHandle(forUpdating: url)
    }

    /// The beginning of the program's error messages.
    private func complaint(_ errors: FileHandle) throws -> String {
        try errors.seek(toOffset: 0)
        let text = String(decoding: try errors.read(upToCount: 2000) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").prefix(4).joined(separator: "; ")
    }
}
