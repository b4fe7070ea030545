import AnnexChannel
import AnnexTestSupport
import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct AppStoreTests {
    private let folder: TemporaryFolder
    private let path: String
    private let quiet = Logger(label: "annexd") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.path + "/apps"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chmod(path, 0o700)
    }

    private func store() throws -> AppStore { try AppStore(at: path, of: 7, logger: quiet) }

    /// Puts an app into a folder of the store's, as an installation does.
    private func put(_ app: MadeApp, in name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: app.path, toPath: "\(path)/\(name)/App.app")
    }

    private func writeIndex(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path + "/index"))
    }

    @Test func `a damaged index is set aside, and what lies there is found again, switched off`() throws {
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.one"]), in: "app-a")
        try FileManager.default.createDirectory(atPath: path + "/app-empty", withIntermediateDirectories: false)
        try writeIndex([1, 2, 3])
        let found = try store().index.withLock { $0 }
        let app = try #require(found.apps.first)
        #expect(found.apps.count == 1 && app.identifier == "com.example.a" && app.folder == "app-a")
        #expect(app.disabled == ["com.example.a.one"] && app.bytes > 4096)
        #expect(try Data(contentsOf: URL(filePath: path + "/index.damaged")) == Data([1, 2, 3]))
        // From now on it is an index like any other, and the damaged one stays for whoever wants to look.
        #expect(try store().index.withLock { $0 } == found)
        #expect(ProcText.names(in: path).sorted() == ["app-a", "index", "index.damaged"])
    }

    @Test func `an index that is longer than any is damaged`() throws {
        try writeIndex([UInt8](repeating: 0, count: StoreIndex.limits.bytes + 1))
        #expect(try store().index.withLock { $0.apps.isEmpty })
    }

    @Test func `of two folders with one app the last one counts`() throws {
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.old"]), in: "app-1")
        usleep(20_000)
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.new"]), in: "app-0")
        try writeIndex([])
        #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-0"])
    }

    @Test func `an index of a newer daemon is left alone, and says what to do`() throws {
        // Field 1, four bytes: version 2.
        let newer: [UInt8] = [1, 0, 4, 0, 0, 0, 2, 0, 0, 0]
        try writeIndex(newer)
        let error = #expect(throws: SystemError.self) { _ = try store() }
        #expect(error?.errno == EPROTO && error?.mend?.contains("a newer annexd") == true)
        #expect(try Data(contentsOf: URL(filePath: path + "/index")) == Data(newer))
    }
}
