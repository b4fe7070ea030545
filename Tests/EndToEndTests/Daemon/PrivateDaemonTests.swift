import AnnexBrokerAPI
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// Private directories under a daemon, of one user and of the whole machine.
@Suite(.timeLimit(.minutes(20))) struct PrivateDaemonTests {
    private let app: SubstituteApp

    init() throws {
        app = try SubstituteApp(running: "keeps-notes")
        try app.setPoint("com.apple.share-services")
    }

    private func ask(_ host: AnnexHost, _ words: String) async throws -> String {
        let session = try await host.begin(SubstituteApp.identifier)
        let text = try await session.request([ExtensionItem(contentText: words)]).first?.contentText
        #expect(await session.complete().reason == .completed)
        return text ?? ""
    }

    private func host(_ daemon: TestDaemon) throws -> AnnexHost {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
    }

    private func kept(_ daemon: TestDaemon, _ part: String = "private") -> String {
        daemon.folder.url.path + "/state/\(part)/com.example.shout/\(SubstituteApp.identifier)"
    }

    @Test func `the private files outlive the daemon and an update, and are removed with the app`() async throws {
        var daemon = try await TestDaemon()
        let folder = daemon.folder
        do {
            let host = try host(daemon)
            try await host.install(app: app.path)
            #expect(try await ask(host, "notes one") == "noted")
            try await host.install(app: app.path)
            #expect(try await ask(host, "reads") == "one")
        }
        #expect(await daemon.end() == .exited(0))
        daemon = try await TestDaemon(in: folder)
        let host = try host(daemon)
        #expect(try await ask(host, "reads") == "one")
        let session = try await host.begin(SubstituteApp.identifier)
        #expect(session.launchReport.privateDirectory == (getuid() == 0 ? .idMap : .caller))
        #expect(await session.complete().reason == .completed)
        try await host.remove(app: "com.example.shout")
        let place = kept(daemon)
        await eventually { !FileManager.default.fileExists(atPath: place) }
        try await host.install(app: app.path)
        #expect(try await ask(host, "lists") == "")
    }

    @Test func `a removal that a kill interrupted after the index was written is finished`() async throws {
        var daemon = try await TestDaemon()
        let folder = daemon.folder
        do {
            let host = try host(daemon)
            try await host.install(app: app.path)
            #expect(try await ask(host, "notes one") == "noted")
            try await host.remove(app: "com.example.shout")
            try await host.install(app: app.path)
            #expect(try await ask(host, "notes two") == "noted")
        }
        #expect(await daemon.end() == .exited(0))
        // The files look as if the daemon had been killed. The removal of a removed app is announced, and also the
        // removal of an installed app.
        let state = folder.url.path + "/state/private"
        let gone = state + "/com.example.gone/com.example.gone.part"
        for place in [gone, state + "/@announced/com.example.gone", state + "/@announced/com.example.shout"] {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        }
        for place in [state + "/@announced", state + "/com.example.gone"] { chmod(place, 0o700) }
        daemon = try await TestDaemon(in: folder)
        let host = try host(daemon)
        #expect(try await ask(host, "reads") == "two")
        await eventually { !FileManager.default.fileExists(atPath: state + "/com.example.gone") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: state + "/@announced").isEmpty)
    }

    @Test(
        .enabled(
            if: getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0,
            "needs root, which alone can serve and be several users"))
    func `each user of the machine has separate directories with owners that no user is`() async throws {
        let daemon = try await TestDaemon(["--system"])
        chmod(daemon.folder.url.path, 0o755)
        let host = try host(daemon)
        try await host.install(app: app.path)
        #expect(try await ask(host, "notes roots") == "noted")
        let other = 65534
        func asked(_ words: String...) async throws -> String {
            await (try FixtureHost([daemon.socket] + words, as: other)).lastLine()
        }
        #expect(try await asked("install", app.path) == SubstituteApp.identifier)
        #expect(try await asked("ask", SubstituteApp.identifier, "reads") == "errno \(ENOENT)")
        #expect(try await asked("ask", SubstituteApp.identifier, "notes theirs") == "noted")
        #expect(try await asked("ask", SubstituteApp.identifier, "reads") == "theirs")
        #expect(try await ask(host, "reads") == "roots")
        for user in [0, other] {
            let file = kept(daemon, "private-of/\(user)") + "/notes"
            let owner = try FileManager.default.attributesOfItem(atPath: file)[.ownerAccountID] as? UInt32
            #expect(owner.map { $0 > 1_000_000_000 } == true, "\(String(describing: owner))")
        }
        #expect(try await asked("remove", "com.example.shout") == "")
        let place = kept(daemon, "private-of/\(other)")
        await eventually { !FileManager.default.fileExists(atPath: place) }
        #expect(try await ask(host, "reads") == "roots")
    }
}
