import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// Several versions of one app: the used version, the user's choice, and the notices to hosts. The tests are the same
/// for an embedded broker and for a daemon.
@Suite(.timeLimit(.minutes(20))) struct VersionTests {
    private static let app = "com.example.made"
    private static let part = "com.example.made.part"

    private func app(_ version: String, carrying extensions: [String] = [part]) throws -> MadeApp {
        let app = try MadeApp(Self.app, carrying: extensions)
        try app.setVersion(version)
        return app
    }

    @Test(arguments: Door.allCases)
    func `P12: the highest version is used and a replayed older one is only kept`(door: Door) async throws {
        let (host, daemon) = try await door.open()
        let apps = try ["1.9", "1.10", "2"].map { try app($0) }
        try await host.install(app: apps[1].path)
        let replayed = try #require(try await host.install(app: apps[0].path).first)
        #expect(replayed.verdict == .superseded && replayed.build.version == "1.9" && !replayed.isOffered)
        #expect(replayed.rejection?.remedy == "annex pin com.example.made 1.9", "\(replayed)")
        #expect(await host.extensions().map(\.build.version) == ["1.10"])
        #expect(await host.extensions().first?.build.otherVersions == ["1.9"])
        #expect(await host.extensions().first?.instance.hasPrefix("com.example.made.part/1.10/") == true)
        try await host.install(app: apps[2].path)
        let build = try #require(await host.extensions().first?.build)
        #expect(build == .init(version: "2", digest: build.digest, otherVersions: ["1.10"]) && build.digest != nil)
        try await host.remove(app: Self.app)
        #expect(try await host.installed().isEmpty)
        withExtendedLifetime(daemon) {}
    }

    @Test(arguments: Door.allCases)
    func `P12: a pinned version is used until it is unpinned`(door: Door) async throws {
        let (host, daemon) = try await door.open()
        let apps = try [app("1"), app("2", carrying: [Self.part, Self.part + "s"]), app("3")]
        for app in apps[..<2] { try host.installAndWait(app: app.path) }
        #expect(await host.extensions().map(\.id) == [Self.part, Self.part + "s"])
        #expect(try await host.pin(app: Self.app, to: "1").map(\.build.isPinned) == [true])
        #expect(await host.extensions().map(\.id) == [Self.part])
        #expect(try await host.install(app: apps[2].path).map(\.verdict) == [.superseded])
        #expect(await host.extensions().map(\.build.version) == ["1"])
        #expect(try await host.unpin(app: Self.app).map(\.build.version) == ["3"])
        for (identifier, version) in [(Self.app, "9"), (Self.app, "x"), ("com.example.nobody", "1")] {
            let error = #expect(throws: BrokerError.self) { try host.pinAndWait(app: identifier, to: version) }
            #expect(error?.code == (identifier == Self.app ? .unknownVersion : .unknownApp), "\(error as Any)")
        }
        withExtendedLifetime(daemon) {}
    }

    @Test func `P12: versions, a pin and switches outlast the daemon`() async throws {
        var daemon = try await TestDaemon()
        var host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        let apps = try [app("1"), app("2")]
        for app in apps { try host.installAndWait(app: app.path) }
        try await host.pin(app: Self.app, to: "1")
        try await host.setEnabled(false, for: Self.part)
        for signal in [SIGTERM, SIGKILL] {
            _ = await daemon.end(signal)
            daemon = try await TestDaemon(in: daemon.folder)
            host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
            let part = try #require(try await host.installed().first)
            let build = InstalledExtension.Build(
                version: "1", digest: part.build.digest, isPinned: true, otherVersions: ["2"])
            #expect(part.build == build && build.digest != nil && !part.isEnabled)
        }
        #expect(try await host.unpin(app: Self.app).map(\.build.version) == ["2"])
        #expect(ProcText.names(in: daemon.store.path).count { $0.hasPrefix("app-") } == 2)
        try await host.remove(app: Self.app)
        await eventually { ProcText.names(in: daemon.store.path).count { $0.hasPrefix("app-") } == 0 }
    }

    @Test func `versions that are not used make room for an update`() async throws {
        let apps = try ["1", "2", "3"].map { try app($0) }
        // Each version takes about 30,000 bytes.
        let daemon = try await TestDaemon(["--limit", "installed-bytes=80000"])
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        for app in apps { try host.installAndWait(app: app.path) }
        #expect(await host.extensions().map(\.build.version) == ["3"])
        await eventually { ProcText.names(in: daemon.store.path).count { $0.hasPrefix("app-") } <= 2 }
    }

    @Test(arguments: Door.allCases)
    func `a host hears of each change and the news ends with its connection`(door: Door) async throws {
        let (host, daemon) = try await door.open()
        // The host also gets notices of changes that another host of the same daemon makes.
        let other = try daemon.map { try AnnexHost.connectAndWait(to: $0.socket, patience: .patience) } ?? host
        var changes = host.changes.makeAsyncIterator()
        let app = try app("1")
        try await other.install(app: app.path)
        let first = try #require(await changes.next())
        #expect(await host.extensions().map(\.id) == [Self.part])
        // If several changes happen before the next read, they give one value.
        for isOn in [false, true, false] { try await other.setEnabled(isOn, for: Self.part) }
        let second = try #require(await changes.next())
        #expect(second > first)
        guard let daemon else { return }
        _ = await daemon.end()
        while await changes.next() != nil {}
        #expect(await host.changes.first { _ in true } == nil)
    }

    @Test func `annex pin and unpin choose the version and the list shows it`() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await TestDaemon()
        let apps = try [app("2"), app("1")]
        func annex(_ arguments: String...) async throws -> Program {
            try await Program.annex(arguments + ["--socket", daemon.socket], in: folder)
        }
        #expect(try await annex("install", apps[0].path).status == 0)
        let replayed = try await annex("install", apps[1].path)
        #expect(replayed.status == 0 && replayed.errors.contains("annex pin com.example.made 1"), "\(replayed)")
        let pinned = try await annex("pin", Self.app, "1")
        #expect(pinned.status == 0 && pinned.output.hasPrefix("\(Self.part)  on  "), "\(pinned)")
        let list = try await annex("list", "--all", "--json").output
        for part in [
            #""version": "1""#, #""pinned": true"#, #""instance": "com.example.made.part/1/"#, #""verdict": "offered""#,
        ] {
            #expect(list.contains(part) || list.contains(part.replacing(": ", with: ":")), "\(part): \(list)")
        }
        #expect(try await annex("unpin", Self.app).status == 0)
        let wrong = try await annex("pin", Self.app, "3")
        #expect(wrong.status == 1 && wrong.errors.contains("installed versions: 1, 2"), "\(wrong)")
        #expect(try await annex("pin", Self.app).status == 64)
    }
}
