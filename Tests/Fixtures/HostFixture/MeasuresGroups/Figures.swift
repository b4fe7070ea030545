import AnnexBrokerAPI
import AnnexEmbedded
import AnnexGroups
import AnnexHost
import AnnexLinux
import AnnexModel
import CAnnexSQLite
import Foundation

/// Measures an access that no other member blocks. The floor, with which the result is compared, is a lock and its
/// release on an open file of the same kind.
func coordinatedRead(in folder: String, _ group: AppGroup) throws {
    let coordinator = FileCoordinator(group)
    let file = try Descriptor.open(folder + "/plain", O_RDWR | O_CREAT, mode: 0o600)
    let range = FileRange(start: 1 << 41, length: 1 << 20)
    var (own, floor) = (Samples(), Samples())
    for _ in 0..<400 {
        try own.time {
            for _ in 0..<100 { try coordinator.coordinateAndWait(readingItemAt: "folder/list.txt") { _ in } }
        }
        try floor.time {
            for _ in 0..<100 {
                _ = try file.lock(range, as: .shared)
                file.unlock(range)
            }
        }
    }
    row("coordinated read, µs", own, floor: floor, each: 100)
}

/// Measures a change of one value. The floor is an update of one row by SQLite, which waits for the disk in its own
/// way.
func durableWrite(in folder: String, _ group: AppGroup) throws {
    let defaults = SharedDefaults(group)
    var database: OpaquePointer?
    sqlite3_open_v2(folder + "/plain.db", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    defer { sqlite3_close_v2(database) }
    func run(_ statement: String) { precondition(sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK) }
    for statement in [
        "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE t (k TEXT PRIMARY KEY, v INTEGER)",
        "INSERT INTO t VALUES ('k', 0)",
    ] { run(statement) }
    var (own, floor) = (Samples(), Samples())
    for number in 0..<300 {
        try own.time { try defaults.set(.integer(Int64(number)), forKey: "k") }
        floor.time { run("UPDATE t SET v = \(number) WHERE k = 'k'") }
    }
    row("durable write of a value, µs", own, floor: floor)
}

/// Measures the time from a coordinated change until another process is notified. The floor is a byte to another
/// process and back.
func newsOfChanges(in folder: String, _ group: AppGroup) throws {
    let coordinator = FileCoordinator(group)
    try news("news of a coordinated change, µs", heardBy: Other(["hears", folder, "list"])) { _ in
        try coordinator.coordinateAndWait(writingItemAt: "list") { _ in }
    }
}

/// Measures the same time for a change of one value. The write of the value waits for the disk.
func newsOfValues(in folder: String, _ group: AppGroup) throws {
    let defaults = SharedDefaults(group)
    try news("news of a value, with its write, µs", heardBy: Other(["watches", folder])) { number in
        try defaults.set(.integer(Int64(number)), forKey: "k")
    }
}

/// - Parameter ear: the other process. It writes a byte when it is ready, and then a byte for each change.
private func news(_ name: String, heardBy ear: Other, change: (Int) throws -> Void) throws {
    let echo = try Other(["echoes"])
    ear.await()
    var (own, floor) = (Samples(), Samples())
    for number in 0..<1000 {
        floor.time {
            echo.send()
            echo.await()
        }
        try own.time {
            try change(number)
            ear.await()
        }
        // Notifications that follow closely are merged.
        usleep(4000)
    }
    row(name, own, floor: floor, comparing: 0.99)
}

/// Measures the time from the request to the end of a session with one answer, with a group and without.
/// - Parameter app: the example Shout, signed and with a group that it does not use.
func launch(_ app: String, in folder: String) async throws {
    func host(granting: [String]) throws -> AnnexHost {
        let host = try AnnexHost.embedded(reports: .nowhere, privateDirectories: .folder(folder + "/private"))
        try host.installAndWait(app: app, granting: granting)
        return host
    }
    let (member, plain) = (try host(granting: ["com.apple.security.application-groups"]), try host(granting: []))
    func answer(_ host: AnnexHost) async throws {
        let session = try await host.begin("com.example.shout.loud")
        _ = try await session.request([ExtensionItem(contentText: "hello")])
        _ = await session.complete()
    }
    var (own, floor) = (Samples(), Samples())
    for number in 0..<120 {
        // The first launches compile the filters.
        if number == 20 { (own, floor) = (Samples(), Samples()) }
        // Each launch finds the kernel and the warden at rest.
        usleep(30_000)
        try await own.time { try await answer(member) }
        usleep(30_000)
        try await floor.time { try await answer(plain) }
    }
    row("launch and answer of a member, µs", own, floor: floor)
}

/// Another process of this program.
final class Other {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { process.terminate() }

    func send() {
        var byte: UInt8 = 1
        write(input.fileHandleForWriting.fileDescriptor, &byte, 1)
    }

    func await() {
        var byte: UInt8 = 0
        read(output.fileHandleForReading.fileDescriptor, &byte, 1)
    }
}
