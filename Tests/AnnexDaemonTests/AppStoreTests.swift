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

    /// Puts an app into a folder of the store, as an installation does.
    private func put(_ app: MadeApp, in name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: app.path, toPath: "\(path)/\(name)/App.app")
    }

    private func writeIndex(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path + "/index"))
    }

    @Test func `a damaged index is set aside and the apps return switched off`() throws {
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.one"]), in: "app-a")
        try FileManager.default.createDirectory(atPath: path + "/app-empty", withIntermediateDirectories: false)
        try writeIndex([1, 2, 3])
        let found = try store().index.withLock { $0 }
        let app = try #require(found.apps.first)
        #expect(found.apps.count == 1 && app.identifier == "com.example.a" && app.folder == "app-a")
        #expect(app.choices == ["com.example.a.one": false] && app.bytes > 4096)
        #expect(try Data(contentsOf: URL(filePath: path + "/index.damaged")) == Data([1, 2, 3]))
        // From now on, the index is an ordinary one. The damaged index is kept for inspection.
        #expect(try store().index.withLock { $0 } == found)
        #expect(ProcText.names(in: path).sorted() == ["app-a", "app-empty.kept", "index", "index.damaged"])
    }

    @Test func `an index that is too long counts as damaged`() throws {
        try writeIndex([UInt8](repeating: 0, count: StoreIndex.limits.bytes + 1))
        #expect(try store().index.withLock { $0.apps.isEmpty })
    }

    @Test func `the newer of two folders with one app counts`() throws {
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.old"]), in: "app-1")
        usleep(20_000)
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.new"]), in: "app-0")
        try writeIndex([])
        #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-0"])
    }

    @Test func `folders that a rebuild does not install stay on disk over any number of starts`() throws {
        let broken = try MadeApp("com.example.b")
        try FileManager.default.removeItem(atPath: broken.path + "/Info.plist")
        try put(broken, in: "app-b")
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.old"]), in: "app-1")
        usleep(20_000)
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.new"]), in: "app-0")
        try writeIndex([1])
        for _ in 0..<3 { #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-0"]) }
        #expect(
            ProcText.names(in: path).sorted() == ["app-0", "app-1.kept", "app-b.kept", "index", "index.damaged"])
        #expect(FileManager.default.fileExists(atPath: path + "/app-b.kept/App.app/Program"))
    }

    @Test func `the next rebuild finds a folder that was set aside if it holds an app`() throws {
        let app = try MadeApp("com.example.a", carrying: ["com.example.a.one"])
        let information = try Data(contentsOf: URL(filePath: app.path + "/Info.plist"))
        try put(app, in: "app-a")
        try FileManager.default.removeItem(atPath: path + "/app-a/App.app/Info.plist")
        try writeIndex([1])
        #expect(try store().index.withLock { $0.apps.isEmpty })
        try information.write(to: URL(filePath: path + "/app-a.kept/App.app/Info.plist"))
        try writeIndex([2])
        #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-a.kept"])
        #expect(try store().index.withLock { $0.apps.map(\.identifier) } == ["com.example.a"])
        #expect(try Data(contentsOf: URL(filePath: path + "/index.damaged")) == Data([2]))
    }

    @Test func `a rebuild that fails midway loses nothing and the next one succeeds`() throws {
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.one"]), in: "app-a")
        try FileManager.default.createDirectory(atPath: path + "/app-empty", withIntermediateDirectories: false)
        try writeIndex([1, 2, 3])
        // The folder of something that is not an app cannot be set aside under this name.
        let obstacle = path + "/app-empty.kept"
        try Data().write(to: URL(filePath: obstacle))
        for _ in 0..<2 {
            #expect(throws: SystemError.self) { _ = try store() }
            #expect(try Data(contentsOf: URL(filePath: path + "/index")) == Data([1, 2, 3]))
            #expect(FileManager.default.fileExists(atPath: path + "/app-a/App.app/Program"))
        }
        unlink(obstacle)
        #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-a"])
        #expect(try Data(contentsOf: URL(filePath: path + "/index.damaged")) == Data([1, 2, 3]))
    }

    /// A daemon that was killed while it wrote an index left a draft. The user could also have put a link there.
    @Test(arguments: [false, true]) func `a draft of a killed daemon is replaced`(isLink: Bool) throws {
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.one"]), in: "app-a")
        try writeIndex([1, 2, 3])
        let (draft, outside) = (path + "/" + AppStore.newIndexName, path + "/../outside")
        try Data([7]).write(to: URL(filePath: outside))
        if isLink { symlink(outside, draft) } else { try Data([4]).write(to: URL(filePath: draft)) }
        #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-a"])
        #expect(!FileManager.default.fileExists(atPath: draft))
        #expect(try Data(contentsOf: URL(filePath: outside)) == Data([7]))
    }

    @Test func `a rebuild that was killed before its new index was there is made again`() throws {
        // All steps of a rebuild but the last are done. The damaged index has both names, and folders are set aside.
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.new"]), in: "app-0")
        usleep(20_000)
        try put(try MadeApp("com.example.a", carrying: ["com.example.a.old"]), in: "app-1")
        rename(path + "/app-1", path + "/app-1.kept")
        try writeIndex([1, 2, 3])
        link(path + "/index", path + "/index.damaged")
        try Data([9]).write(to: URL(filePath: path + "/index.new"))
        #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-0"])
        #expect(try store().index.withLock { $0.apps.map(\.folder) } == ["app-0"])
        #expect(ProcText.names(in: path).sorted() == ["app-0", "app-1.kept", "index", "index.damaged"])
    }

    @Test func `an index that cannot be read is not treated as damaged`() throws {
        try put(try MadeApp("com.example.a"), in: "app-a")
        try FileManager.default.createDirectory(atPath: path + "/index", withIntermediateDirectories: false)
        #expect(throws: SystemError.self) { _ = try store() }
        #expect(ProcText.names(in: path).sorted() == ["app-a", "index"])
    }

    @Test func `an index of a newer daemon is left alone and the error names the remedy`() throws {
        // Field 1, four bytes: version 3.
        let newer: [UInt8] = [1, 0, 4, 0, 0, 0, 3, 0, 0, 0]
        try writeIndex(newer)
        let error = #expect(throws: SystemError.self) { _ = try store() }
        #expect(error?.errno == EPROTO && error?.remedy?.contains("a newer annexd") == true)
        #expect(try Data(contentsOf: URL(filePath: path + "/index")) == Data(newer))
    }
}
