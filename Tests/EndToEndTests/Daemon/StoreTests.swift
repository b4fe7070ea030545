import AnnexBrokerAPI
import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// The store of a user must agree with the extensions that the user's broker offers, despite failures and foreign
/// files.
@Suite(.timeLimit(.minutes(20))) struct StoreTests {
    private func connect(_ daemon: TestDaemon) throws -> AnnexHost {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
    }

    private func again(_ daemon: TestDaemon) async throws -> TestDaemon {
        let folder = daemon.folder
        #expect(await daemon.end() == .exited(0))
        return try await TestDaemon(in: folder)
    }

    @Test func `P5: a switch that the disk does not take has no effect`() async throws {
        let app = try MadeApp("com.example.one", carrying: ["com.example.one.part"])
        var daemon = try await TestDaemon()
        var host = try connect(daemon)
        try await host.install(app: app.path)
        // From now on, no index can be written.
        let hindrance = daemon.store.appending(path: "index.new")
        try FileManager.default.createDirectory(at: hindrance, withIntermediateDirectories: false)
        let error = #expect(throws: BrokerError.self) { try host.setEnabledAndWait(false, for: "com.example.one.part") }
        #expect(error?.code == .system, "\(String(describing: error))")
        #expect(await host.extensions().map(\.id) == ["com.example.one.part"])
        try FileManager.default.removeItem(at: hindrance)
        try await host.setEnabled(false, for: "com.example.one.part")
        try FileManager.default.createDirectory(at: hindrance, withIntermediateDirectories: false)
        #expect(throws: BrokerError.self) { try host.setEnabledAndWait(true, for: "com.example.one.part") }
        #expect(await host.extensions().isEmpty)
        // An app cannot be replaced either. The installed app stays unchanged, including its switches.
        let other = try MadeApp("com.example.one", carrying: ["com.example.one.other"])
        #expect(throws: BrokerError.self) { try host.installAndWait(app: other.path) }
        #expect(await host.extensions().isEmpty)
        try FileManager.default.removeItem(at: hindrance)
        daemon = try await again(daemon)
        host = try connect(daemon)
        #expect(await host.extensions().isEmpty)
        try await host.setEnabled(true, for: "com.example.one.part")
        #expect(await host.extensions().map(\.id) == ["com.example.one.part"])
    }

    @Test func `P5: a switch stays with its own extension when identifiers share a beginning`() async throws {
        let inner = try MadeApp("com.example.a.b", carrying: ["com.example.a.b.own"])
        let outer = try MadeApp("com.example.a", carrying: ["com.example.a.b.other", "com.example.a.on"])
        var daemon = try await TestDaemon()
        var host = try connect(daemon)
        for app in [inner, outer] { try host.installAndWait(app: app.path) }
        // The extension of the second app comes first, because its identifier also begins with the first app's
        // identifier.
        for identifier in ["com.example.a.b.other", "com.example.a.b.own"] {
            try await host.setEnabled(false, for: identifier)
        }
        #expect(await host.extensions().map(\.id) == ["com.example.a.on"])
        daemon = try await again(daemon)
        host = try connect(daemon)
        #expect(await host.extensions().map(\.id) == ["com.example.a.on"])
        #expect(!daemon.log.contains("cannot be loaded"))
    }

    @Test func `a replaced app counts until its last extension has ended`() async throws {
        let app = try SubstituteApp(running: "works-on")
        let size = try Self.size(of: app.path)
        let daemon = try await TestDaemon(["--limit", "installed-bytes=\(size * 5 / 2)"])
        let host = try connect(daemon)
        try await host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        try await host.install(app: app.path)
        let error = #expect(throws: BrokerError.self) { try host.installAndWait(app: app.path) }
        #expect(error?.code == .overQuota && error?.remedy?.contains("until none of its extensions runs") == true)
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        #expect(await session.complete().reason == .completed)
        await eventually { ProcText.names(in: daemon.store.path).count { $0.hasPrefix("app-") } == 1 }
        try await host.install(app: app.path)
    }

    /// The size as the daemon counts it. Each file and directory takes at least one block.
    private static func size(of app: String) throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: app).reduce(4096) { sum, path in
            let found = try FileManager.default.attributesOfItem(atPath: app + "/" + path)
            let isFile = found[.type] as? FileAttributeType == .typeRegular
            return sum + 4096 + (isFile ? found[.size] as? Int ?? 0 : 0)
        }
    }

    // MARK: Files that exist already

    @Test(arguments: ["state", "state/apps"])
    func `a folder that other users may write to is never used as a store`(name: String) async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for path in ["state", name] { chmod(folder.url.appending(path: path).path, path == name ? 0o777 : 0o700) }
        let said: String
        if name == "state" {
            let ran = try await Program.run(
                "annexd", ["--socket", folder.url.path + "/s", "--state", place.path], in: folder)
            #expect(ran.status == 1)
            said = ran.errors
        } else {
            let app = try MadeApp("com.example.one")
            let daemon = try await TestDaemon(in: folder)
            let error = #expect(throws: BrokerError.self) { try connect(daemon).installAndWait(app: app.path) }
            #expect(daemon.isRunning)
            said = "\(String(describing: error))"
        }
        #expect(said.contains("other users can write to it"), "\(said)")
    }

    @Test func `a file in the place of the socket is left alone`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "precious")
        try Data("precious".utf8).write(to: file)
        let ran = try await Program.run(
            "annexd", ["--socket", file.path, "--state", folder.url.path + "/state"], in: folder)
        #expect(ran.status == 1 && ran.errors.contains("the file there is not a socket"), "\(ran)")
        #expect(try String(contentsOf: file, encoding: .utf8) == "precious")
    }

    @Test func `a damaged index is reported and its user is still served`() async throws {
        let app = try MadeApp("com.example.one", carrying: ["com.example.one.part"])
        var daemon = try await TestDaemon()
        try await connect(daemon).install(app: app.path)
        let folder = daemon.folder
        #expect(await daemon.end() == .exited(0))
        try Data([1, 2, 3]).write(to: daemon.store.appending(path: "index"))
        daemon = try await TestDaemon(in: folder)
        let host = try connect(daemon)
        #expect(await host.extensions().isEmpty)
        #expect(daemon.log.contains("the index of a store is damaged"))
        #expect(daemon.log.contains("app=com.example.one"))
        try await host.setEnabled(true, for: "com.example.one.part")
        #expect(await host.extensions().map(\.id) == ["com.example.one.part"])
    }

    @Test func `a replaced app without running extensions is removed at once`() async throws {
        let running = try SubstituteApp(running: "works-on")
        let other = try MadeApp("com.example.one")
        let daemon = try await TestDaemon()
        let host = try connect(daemon)
        try await host.install(app: running.path)
        let session = try await host.begin(SubstituteApp.identifier)
        for _ in 0..<3 { try host.installAndWait(app: other.path) }
        await eventually { ProcText.names(in: daemon.store.path).count { $0.hasPrefix("app-") } == 2 }
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        try await host.remove(app: "com.example.shout")
        await eventually { ProcText.names(in: daemon.store.path).count { $0.hasPrefix("app-") } == 1 }
    }

    // MARK: The socket

    @Test func `a stale socket does not hide another daemon`() async throws {
        let daemon = try await TestDaemon()
        let stale = daemon.folder.url.path + "/stale"
        _ = try LocalSocket.listen(at: stale, mode: 0o600)
        #expect(access(stale, F_OK) == 0)
        let host = try AnnexHost.connectAndWait(toFirstOf: [stale, daemon.socket], patience: .patience)
        #expect(await host.extensions().isEmpty)
        let missing = daemon.folder.url.path + "/missing"
        _ = try AnnexHost.connectAndWait(toFirstOf: [missing, daemon.socket], patience: .patience)
        let error = #expect(throws: BrokerError.self) {
            _ = try AnnexHost.connectAndWait(toFirstOf: [stale, missing], patience: .patience)
        }
        #expect(error?.code == .unreachable && error?.place == stale)
    }

    @Test func `a relative path starts in the folder in which the daemon was started`() async throws {
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            ChildProcess.executable("annexd"), arguments: ["--socket", "a/s", "--state", "state"], in: folder.url,
            errors: .none)
        await eventually { access(folder.url.path + "/a/s", F_OK) == 0 || !child.isRunning }
        #expect(folder.names == ["a", "state"])
        child.signal(SIGTERM)
        #expect(await child.ended() == .exited(0))
    }

    @Test func `the changes of a store are limited in a minute`() async throws {
        let daemon = try await TestDaemon(["--limit", "changes-per-minute=3"])
        let host = try connect(daemon)
        let app = try MadeApp("com.example.one")
        var rejection: BrokerError?
        // A minute may end between two of these installations.
        for _ in 0..<8 where rejection == nil {
            do throws(BrokerError) { try host.installAndWait(app: app.path) } catch { rejection = error }
        }
        #expect(rejection?.code == .overQuota && rejection?.what.contains("3 changes in a minute") == true)

    }
}
