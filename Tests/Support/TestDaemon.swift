public import Foundation

/// An `annexd` for one test. Its socket and its state lie in a folder that is removed with this object.
public final class TestDaemon: Sendable {
    /// Runs the program as long as this object lives.
    private let process: ChildProcess
    /// The folder of its socket, its installed apps and its log.
    public let folder: TemporaryFolder

    /// - Parameters:
    ///   - folder: the folder of an earlier daemon. The new daemon continues with its installed apps.
    ///   - arguments: options in addition to the paths and the limits for a slow machine.
    public init(in folder: TemporaryFolder? = nil, _ arguments: [String] = []) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        let before = Self.starts(folder)
        process = try Self.start(in: folder, arguments)
        await eventually { Self.starts(folder) > before || !process.isRunning }
    }

    private static func start(in folder: TemporaryFolder, _ arguments: [String]) throws -> ChildProcess {
        let log = folder.url.appending(path: "log")
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let errors = try FileHandle(forWritingTo: log)
        try errors.seekToEnd()
        return try ChildProcess(
            ChildProcess.executable("annexd"),
            arguments: [
                "--socket", socket(folder), "--state", folder.url.path + "/state", "--verbose", "--patience", "3000",
            ] + arguments,
            environment: Program.environment.merging(["ANNEX_REPORTS": folder.url.path + "/reports"]) { $1 },
            output: .none, errors: .file(errors))
    }

    deinit {
        process.signal(SIGKILL)
    }

    public var socket: String { Self.socket(folder) }
    public var number: Int32 { process.number }
    public var isRunning: Bool { process.isRunning }
    public var log: String { Self.log(folder) }
    public var reports: URL { folder.url.appending(path: "reports") }
    public var store: URL { Self.store(folder) }

    static func store(_ folder: TemporaryFolder) -> URL { folder.url.appending(path: "state/apps") }

    /// The number of descriptors that the daemon has open.
    public var descriptors: Int { ProcText.names(in: "/proc/\(number)/fd").count }

    /// Sends a signal if the daemon has not ended.
    public func signal(_ number: Int32) { process.signal(number) }

    /// Ends the daemon by a signal.
    public func end(_ signal: Int32 = SIGTERM) async -> ChildProcess.End {
        process.signal(signal)
        return await process.ended()
    }

    private static func socket(_ folder: TemporaryFolder) -> String { folder.url.path + "/s" }

    /// How often a daemon has logged that it accepts connections.
    public var starts: Int { Self.starts(folder) }

    private static func starts(_ folder: TemporaryFolder) -> Int {
        log(folder).components(separatedBy: "takes connections").count - 1
    }

    private static func log(_ folder: TemporaryFolder) -> String {
        (try? String(contentsOf: folder.url.appending(path: "log"), encoding: .utf8)) ?? ""
    }
}
