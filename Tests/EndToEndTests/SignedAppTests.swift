import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// Signed apps in a broker: the refusals at the installation and at a launch. The tests are the same for both kinds of
/// broker.
@Suite(.timeLimit(.minutes(20))) struct SignedAppTests {
    /// A host, a signed app that is not installed yet, and the keys of two teams.
    private final class Scene {
        let host: AnnexHost
        let daemon: TestDaemon?
        let app: SubstituteApp
        let keys: TemporaryFolder
        static let containing = "com.example.shout"
        static let program = "PlugIns/Loud.appex/Loud"
        static let info = "PlugIns/Loud.appex/Info.plist"

        init(_ door: Door, isSigned: Bool = true) async throws {
            app = try SubstituteApp(running: "works-on")
            keys = try TemporaryFolder()
            (host, daemon) = try await door.open()
            guard isSigned else { return }
            for team in ["ours", "theirs"] { try await annex("key", "new", team, "--out", key(team)) }
            try await sign()
        }

        func key(_ team: String) -> String { keys.url.appending(path: team).path }

        @discardableResult
        func annex(_ arguments: String...) async throws -> Program {
            let ran = try await Program.annex(arguments, in: keys)
            #expect(ran.status == 0, "\(ran)")
            return ran
        }

        func sign(by team: String = "ours") async throws { try await annex("sign", app.path, "--key", key(team)) }

        /// The app that launches use: the host's own copy, or the daemon's.
        var installed: String {
            get throws {
                guard let daemon else { return app.path }
                return try daemon.installedApp
            }
        }

        func setVersion(_ version: String, name: String = "Shout") throws {
            let info = "\(app.path)/Info.plist"
            let text = try String(contentsOfFile: info, encoding: .utf8)
            let head = text.replacing(/<key>CFBundleVersion<\/key>\s*<string>[^<]*<\/string>/, with: "")
            let with = head.replacingOccurrences(
                of: "<key>CFBundleIdentifier</key>",
                with: "<key>CFBundleVersion</key><string>\(version)</string><key>CFBundleIdentifier</key>")
            try Data(with.utf8).write(to: URL(filePath: info))
        }

        func refusal() throws -> BrokerError {
            try #require(throws: BrokerError.self) { try host.installAndWait(app: app.path) }
        }

        func launch() async throws -> BrokerError? {
            do throws(HostError) {
                _ = try await host.begin(SubstituteApp.identifier).cancel()
                return nil
            } catch {
                guard case .rejected(let rejection) = error else { throw error }
                return rejection
            }
        }
    }

    /// Changes one byte of a file in place.
    private static func changeByte(of path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 40)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: 40)
        try file.write(contentsOf: Data([byte ^ 1]))
        try file.close()
    }

    @Test(arguments: Door.allCases) func `P8: a signed app is installed, shows its team and is launched`(
        door: Door
    ) async throws {
        let scene = try await Scene(door)
        let team = try #require(try await scene.host.install(app: scene.app.path).first?.team)
        #expect(team.name == "ours" && team.identifier.count == 10 && !team.isTrusted)
        #expect(try await scene.launch() == nil)
        #expect(await scene.host.extensions().first?.team == team)
        let trusted = try await scene.host.trust(keyFile: scene.key("ours") + ".pub")
        #expect(trusted.publicKey == team.publicKey && trusted.isTrusted)
        #expect(try await scene.host.installed().first?.team?.isTrusted == true)
        _ = try await scene.host.install(app: scene.app.path)
        #expect(try await scene.launch() == nil)
    }

    @Test(arguments: Door.allCases, [Scene.program, Scene.info])
    func `P8: a changed extension of an unsigned app is refused at its launch`(door: Door, file: String) async throws {
        let scene = try await Scene(door, isSigned: false)
        let one = try #require(try await scene.host.install(app: scene.app.path).first)
        #expect(one.team == nil && one.build.digest?.count == 16)
        #expect(try await scene.host.installed().first?.instance == one.instance)
        #expect(try await scene.launch() == nil)
        let path = try "\(scene.installed)/\(file)"
        // The status of the file changes, but its contents stay the same.
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        #expect(try await scene.launch() == nil)
        try Self.changeByte(of: path)
        let error = try #require(try await scene.launch())
        #expect(error.code == .invalidBundle && error.remedy == "install the app again", "\(error)")
        #expect(error.what.contains(file) && error.what.contains("P8"), "\(error)")
        // A new installation has another digest, unless it has the same files.
        let again = try await scene.host.install(app: scene.app.path).first?.build.digest
        #expect((again == one.build.digest) == (door == .connected))
    }

    @Test(arguments: [Scene.program, "Info.plist", "PlugIns/Loud.appex/more"])
    func `P8: a changed unsigned app is refused at its first launch after a restart`(file: String) async throws {
        let app = try SubstituteApp(running: "works-on")
        let folder = try TemporaryFolder()
        var digest: String?
        do {
            let daemon = try await TestDaemon(in: folder)
            let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
            digest = try await host.install(app: app.path).first?.build.digest
            #expect(await daemon.end() == .exited(0))
        }
        do {
            let daemon = try await TestDaemon(in: folder)
            let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
            #expect(try host.installedAndWait().map(\.build.digest) == [digest] && digest != nil)
            _ = try await host.begin(SubstituteApp.identifier).cancel()
            #expect(await daemon.end() == .exited(0))
        }
        let daemon = try await TestDaemon(in: folder)
        let place = try daemon.installedApp + "/" + file
        if FileManager.default.fileExists(atPath: place) {
            let text = try Data(contentsOf: URL(filePath: place))
            try (text + Data("\n".utf8)).write(to: URL(filePath: place))
        } else {
            try Data("more".utf8).write(to: URL(filePath: place))
        }
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        let error = await #expect(throws: HostError.self) {
            _ = try await host.begin(SubstituteApp.identifier).cancel()
        }
        guard case .rejected(let rejection)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(rejection.code == .invalidBundle && rejection.remedy == "install the app again", "\(rejection)")
    }

    @Test(arguments: Door.allCases) func `SEAL-01: an app with one changed byte is refused at its installation`(
        door: Door
    ) async throws {
        let scene = try await Scene(door)
        try Self.changeByte(of: "\(scene.app.path)/\(Scene.program)")
        let error = try scene.refusal()
        #expect(error.code == .invalidBundle && error.what.contains("\(Scene.program): has other contents"))
        #expect(error.remedy?.isEmpty == false && scene.host.extensionsAndWait().isEmpty)
    }

    @Test(arguments: Door.allCases) func `SEAL-01: an extension with one changed byte is refused at its launch`(
        door: Door
    ) async throws {
        for file in [Scene.program, Scene.info, "_CodeSignature/Seal"] {
            let scene = try await Scene(door)
            try await scene.host.install(app: scene.app.path)
            let path = try "\(scene.installed)/\(file)"
            try await FileManager.default.settled(path)
            try Self.changeByte(of: path)
            let error = try await scene.launch()
            #expect(error?.code == .invalidBundle && error?.what.contains("has other contents") == true, "\(file)")
            #expect(error?.remedy == "install the app again")
            try Self.changeByte(of: path)
            #expect(try await scene.launch() == nil, "the same contents again")
        }
    }

    @Test(arguments: Door.allCases) func `SEAL-02: an app with an added or a missing file is refused`(
        door: Door
    ) async throws {
        let scene = try await Scene(door)
        try Data("x".utf8).write(to: URL(filePath: "\(scene.app.path)/PlugIns/Loud.appex/more"))
        #expect(try scene.refusal().what.contains("more: is not part of the signed app"))
        try FileManager.default.removeItem(atPath: "\(scene.app.path)/PlugIns/Loud.appex/more")
        try await scene.host.install(app: scene.app.path)
        try FileManager.default.removeItem(atPath: "\(scene.installed)/\(Scene.info)")
        #expect(try await scene.launch()?.code == .invalidBundle)
        guard door == .connected else { return }
        try FileManager.default.removeItem(atPath: "\(scene.app.path)/\(Scene.info)")
        #expect(try scene.refusal().what.contains("\(Scene.info): is missing"))
    }

    @Test(arguments: Door.allCases) func `SEAL-03: an update by another team is refused until the user allows it`(
        door: Door
    ) async throws {
        let scene = try await Scene(door)
        try await scene.host.install(app: scene.app.path)
        try await scene.sign(by: "theirs")
        let error = try scene.refusal()
        #expect(error.code == .untrustedTeam && error.what.contains("ours (") && error.what.contains("theirs ("))
        #expect(error.remedy?.contains("annex key trust") == true && error.remedy?.contains("annex remove") == true)
        #expect(await scene.host.extensions().first?.team?.name == "ours")
        // Trust in only the key gives no right to the app.
        try await scene.host.trust(keyFile: scene.key("theirs") + ".pub")
        #expect(try scene.refusal().code == .untrustedTeam)
        try await scene.host.trust(keyFile: scene.key("theirs") + ".pub", for: Scene.containing)
        #expect(try await scene.host.install(app: scene.app.path).first?.team?.name == "theirs")
        #expect(try await scene.launch() == nil)
        // If the user removes the app, this is also a decision about trust.
        try await scene.sign(by: "ours")
        #expect(try scene.refusal().code == .untrustedTeam)
        try await scene.host.remove(app: Scene.containing)
        #expect(try await scene.host.install(app: scene.app.path).first?.team?.name == "ours")
    }

    private static let client = "com.apple.security.network.client"

    private static func granted(_ extensions: [InstalledExtension]) -> [String] {
        extensions.flatMap(\.entitlements).filter(\.isGranted).map(\.name)
    }

    @Test(arguments: Door.allCases) func `a new team of an app gets no grants of the former team`(
        door: Door
    ) async throws {
        let scene = try await Scene(door)
        try scene.app.setEntitlements([Self.client])
        try await scene.sign()
        try await scene.host.install(app: scene.app.path, granting: [Self.client])
        let update = try await scene.host.install(app: scene.app.path)
        #expect(Self.granted(update) == [Self.client] && update.flatMap(\.endedGrants).isEmpty)
        try await scene.host.trust(keyFile: scene.key("theirs") + ".pub", for: Scene.containing)
        let kept = Self.granted(await scene.host.extensions())
        #expect(kept == [Self.client], "the version of the former team keeps them")
        try await scene.sign(by: "theirs")
        let taken = try await scene.host.install(app: scene.app.path)
        #expect(taken.first?.team?.name == "theirs" && Self.granted(taken).isEmpty)
        #expect(taken.map(\.endedGrants) == [[Self.client]])
        let listed = try await scene.host.installed()
        #expect(Self.granted(listed).isEmpty && listed.flatMap(\.endedGrants).isEmpty)
        // The user may grant the entitlements to the new team, and may also do so during the installation.
        try await scene.host.grant(Self.client, to: SubstituteApp.identifier)
        try await scene.host.trust(keyFile: scene.key("ours") + ".pub", for: Scene.containing)
        try await scene.sign()
        let back = try await scene.host.install(app: scene.app.path, granting: [Self.client])
        #expect(Self.granted(back) == [Self.client] && back.flatMap(\.endedGrants).isEmpty)
    }

    @Test(arguments: Door.allCases) func `grants end with another team also if its version was only kept at first`(
        door: Door
    ) async throws {
        let scene = try await Scene(door)
        try scene.app.setEntitlements([Self.client])
        try await scene.sign()
        try await scene.host.install(app: scene.app.path, granting: [Self.client])
        try await scene.host.pin(app: Scene.containing, to: "1")
        try await scene.host.trust(keyFile: scene.key("theirs") + ".pub", for: Scene.containing)
        try scene.setVersion("2")
        try await scene.sign(by: "theirs")
        let kept = try await scene.host.install(app: scene.app.path)
        #expect(kept.map(\.verdict) == [.superseded] && kept.flatMap(\.endedGrants).isEmpty)
        #expect(Self.granted(await scene.host.extensions()) == [Self.client])
        let taken = try await scene.host.unpin(app: Scene.containing)
        #expect(taken.map(\.build.version) == ["2"] && Self.granted(taken).isEmpty)
        #expect(taken.map(\.endedGrants) == [[Self.client]])
    }

    @Test func `the command names the grants that end with another team`() async throws {
        let scene = try await Scene(.connected)
        let socket = try #require(scene.daemon).socket
        try scene.app.setEntitlements([Self.client])
        try await scene.sign()
        try await scene.annex("install", scene.app.path, "--grant", Self.client, "--socket", socket)
        try await scene.annex(
            "key", "trust", scene.key("theirs") + ".pub", "--app", Scene.containing, "--socket", socket)
        try await scene.sign(by: "theirs")
        let ran = try await scene.annex("install", scene.app.path, "--socket", socket)
        let words =
            "\(SubstituteApp.identifier): \(Self.client) is no longer granted, because another team signs the app now"
        #expect(ran.errors.contains(words), "\(ran)")
        #expect(ran.errors.contains("annex grant \(SubstituteApp.identifier) \(Self.client)"), "\(ran)")
    }

    @Test(arguments: Door.allCases) func `SEAL-04: an unsigned update of a signed app is refused`(door: Door)
        async throws
    {
        let scene = try await Scene(door)
        try await scene.host.install(app: scene.app.path)
        try FileManager.default.moveItem(
            atPath: "\(scene.app.path)/_CodeSignature/Seal", toPath: scene.key("seal"))
        let error = try scene.refusal()
        #expect(error.code == .untrustedTeam && error.what.contains("not signed"))
        #expect(await scene.host.extensions().first?.team?.name == "ours")
    }

    @Test(arguments: Door.allCases) func `SEAL-05: a replayed older version is refused`(door: Door) async throws {
        let scene = try await Scene(door)
        try scene.setVersion("1.10")
        try await scene.sign()
        try await scene.host.install(app: scene.app.path)
        try scene.setVersion("1.9.5")
        try await scene.sign()
        let error = try scene.refusal()
        #expect(error.code == .olderVersion && error.what.contains("1.9.5") && error.what.contains("1.10"))
        for version in ["1.10", "1.10.0", "2"] {
            try scene.setVersion(version)
            try await scene.sign()
            try await scene.host.install(app: scene.app.path)
        }
    }

    @Test(arguments: Door.allCases) func `P8: a file that is no public key is not trusted`(door: Door) async throws {
        let scene = try await Scene(door)
        for file in [scene.key("ours"), "/dev/null", scene.keys.url.path, scene.app.path + "/Info.plist"] {
            #expect(throws: BrokerError.self) { try scene.host.trustAndWait(keyFile: file) }
        }
        await #expect(throws: BrokerError.self) {
            try await scene.host.trust(keyFile: scene.key("ours") + ".pub", for: "a b")
        }
        #expect(try await scene.launch()?.code == .unknownExtension)
    }
}

extension FileManager {
    /// Waits until a new change of the file cannot have the same time as the last change.
    fileprivate func settled(_ path: String) async throws {
        await eventually {
            guard let changed = try? self.attributesOfItem(atPath: path)[.modificationDate] as? Date else {
                return false
            }
            return Date().timeIntervalSince(changed) > 0.1
        }
    }
}
