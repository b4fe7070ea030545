import AnnexBroker
import AnnexBrokerAPI
import AnnexLinux
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// App groups of extensions whose broker is embedded: members, containers, and shared defaults.
@Suite(.timeLimit(.minutes(20))) struct AppGroupTests {
    private static let ours = "group.com.example.ours"
    private static let entitlement = "com.apple.security.application-groups"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var place: String { folder.url.path + "/private" }

    private func host(_ apps: SubstituteApp..., granting: Bool = true) throws -> AnnexHost {
        var wishes = BrokerConfiguration()
        wishes.patience = .patience
        wishes.holdsBack = false
        wishes.privateDirectories = .folder(place)
        let host = AnnexHost(service: try Broker(wishes))
        for app in apps { try host.install(app: app.path, granting: granting ? [Self.entitlement] : []) }
        return host
    }

    /// An app whose extension uses its groups.
    private func app(
        _ identifier: String = "com.example.shout", groups: [String] = [Self.ours], ofApp own: [String]? = nil,
        signedBy team: String? = "ours", running name: String = "shares-data", program: String = "shares-as-app"
    ) async throws -> SubstituteApp {
        let app = try SubstituteApp(running: name)
        try app.setPoint("com.apple.share-services")
        try app.setGroups(groups, ofApp: own ?? groups)
        try app.setIdentifier(identifier)
        try app.setProgram(program)
        guard let team else { return app }
        let key = folder.url.path + "/" + team
        if !FileManager.default.fileExists(atPath: key) {
            let made = try await Program.annex(["key", "new", team, "--out", key], in: folder)
            #expect(made.status == 0, "\(made)")
        }
        let signed = try await Program.annex(["sign", app.path, "--key", key], in: folder)
        #expect(signed.status == 0, "\(signed)")
        return app
    }

    private func ask(
        _ host: AnnexHost, _ words: String, of app: String = "com.example.shout"
    ) async throws -> String {
        let session = try await host.begin(app + ".loud")
        let text = try await session.request([ExtensionItem(contentText: words)]).first?.contentText
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
        return text ?? ""
    }

    /// What the containing app itself does in a process of its own.
    private func run(_ app: SubstituteApp, _ words: String...) async throws -> String {
        let ran = try await Program.run(
            app.path + "/Shout", [place, words[0], Self.ours] + words.dropFirst(), in: folder)
        #expect(ran.status == 0, "\(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    private func annex(_ words: String...) async throws -> Program {
        try await Program.annex(["group"] + words + ["--private", place], in: folder)
    }

    // MARK: Members

    @Test func `S1: a member finds its group, and what another member wrote`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call"))
        let host = try host(one, other)
        #expect(try await ask(host, "groups") == Self.ours)
        #expect(try await ask(host, "where \(Self.ours)") == "/groups/\(Self.ours)")
        #expect(try await ask(host, "writes \(Self.ours) list milk") == "written")
        #expect(try await ask(host, "reads \(Self.ours) list", of: "com.example.call") == "milk")
        #expect(try await ask(host, "lists /groups") == "errno \(EACCES)")
    }

    @Test func `S1: an app of another team has a group of its own under the same name`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call", signedBy: "theirs"))
        let host = try host(one, other)
        #expect(try await ask(host, "writes \(Self.ours) list milk") == "written")
        #expect(try await ask(host, "sets \(Self.ours) key ours") == "set")
        #expect(try await ask(host, "reads \(Self.ours) list", of: "com.example.call") == "errno \(ENOENT)")
        #expect(try await ask(host, "gets \(Self.ours) key", of: "com.example.call") == "none")
    }

    @Test func `S1: without a signature, a declaration of both or a grant, there is no group`() async throws {
        let none = "unavailable: "
        let unsigned = try await app(signedBy: nil)
        #expect(try await ask(host(unsigned), "where \(Self.ours)").hasPrefix(none))
        let undeclared = try await app(groups: [Self.ours], ofApp: [])
        #expect(try await ask(host(undeclared), "where \(Self.ours)").hasPrefix(none))
        let ungranted = try await app()
        #expect(try await ask(host(ungranted, granting: false), "where \(Self.ours)").hasPrefix(none))
        #expect(try await ask(host(ungranted, granting: false), "lists /groups") == "errno \(ENOENT)")
    }

    @Test func `S1: a member reaches no other group, and no file of the broker`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call", groups: ["group.com.example.theirs"]))
        let host = try host(one, other)
        #expect(try await ask(host, "writes group.com.example.theirs list milk", of: "com.example.call") == "written")
        #expect(try await ask(host, "where group.com.example.theirs").hasPrefix("notMember: "))
        let group = "/groups/\(Self.ours)"
        for path in ["/groups/group.com.example.theirs/list", group + "/../store.db", group + "/../words"] {
            #expect(try await ask(host, "opens \(Self.ours) \(path)") == "errno \(ENOENT)", "\(path)")
        }
    }

    @Test func `S1: a grant that was revoked ends the use of the services at once`() async throws {
        let app = try await app()
        let host = try host(app)
        let session = try await host.begin("com.example.shout.loud")
        func answer(_ words: String) async throws -> String {
            try await session.request([ExtensionItem(contentText: words)]).first?.contentText ?? ""
        }
        #expect(try await answer("sets \(Self.ours) key value") == "set")
        try host.revoke(Self.entitlement, from: "com.example.shout.loud")
        #expect(try await answer("sets \(Self.ours) key other").hasPrefix("notAllowed: "))
        _ = await session.complete()
    }

    @Test func `S1: a member of a group that is too large is ended, and its files stay`() async throws {
        let app = try await app()
        let host = try host(app)
        let container = try await run(app, "where")
        // A file with holes would take no room, so the limit of files is the one that is exceeded.
        for number in 0..<16_400 { try Data().write(to: URL(filePath: "\(container)/\(number)")) }
        let session = try await host.begin("com.example.shout.loud")
        let end = try #require(await session.untilEnd())
        #expect(end.reason == .diskLimit && "\(end.detail)".contains("files in the app group \(Self.ours)"), "\(end)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: container).count == 16_400)
    }

    // MARK: Shared defaults

    @Test func `S2: a value that one member sets is read by another, and outlives the broker`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call"))
        let host = try host(one, other)
        #expect(try await ask(host, "gets \(Self.ours) color") == "none")
        #expect(try await ask(host, "sets \(Self.ours) color red") == "set")
        #expect(try await ask(host, "gets \(Self.ours) color", of: "com.example.call") == "red")
        #expect(try await ask(self.host(one, other), "gets \(Self.ours) color") == "red")
    }

    @Test func `S2: a member hears of a change that another broker made`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call"))
        let (here, there) = (try host(one, other), try host(one, other))
        let session = try await here.begin("com.example.shout.loud")
        async let heard = session.request([ExtensionItem(contentText: "awaits \(Self.ours)")]).first?.contentText
        // The member sets it when it waits.
        while try await ask(there, "gets \(Self.ours) ready?", of: "com.example.call") != "true" {}
        #expect(try await ask(there, "sets \(Self.ours) color blue", of: "com.example.call") == "set")
        #expect(try await heard == "color=blue")
        _ = await session.complete()
    }

    @Test func `S2: the app and its extension hear of each other and of the command line`() async throws {
        let app = try await app()
        let host = try host(app)
        async let heard = run(app, "awaits")
        while try await ask(host, "gets \(Self.ours) ready?") != "true" {}
        #expect(try await ask(host, "sets \(Self.ours) color blue") == "set")
        #expect(try await heard == "color=blue")
        #expect(try await run(app, "sets", "color", "green") == "set")
        #expect(try await ask(host, "gets \(Self.ours) color") == "green")
        #expect(try await annex("defaults", Self.ours, "color", "grey").status == 0)
        #expect(try await ask(host, "gets \(Self.ours) color") == "grey")
        #expect(try await annex("defaults", Self.ours, "color").output == "grey\n")
    }

    @Test func `S2: updates by the app, its extension and another app at the same time lose nothing`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call"))
        let host = try host(one, other)
        async let first = ask(host, "adds \(Self.ours) sum 20")
        async let second = ask(host, "adds \(Self.ours) sum 20", of: "com.example.call")
        async let third = run(one, "adds", "sum", "20")
        _ = try await (first, second, third)
        #expect(try await annex("defaults", Self.ours, "sum").output == "60\n")
    }

    @Test func `S2: a change beyond the limits fails, and changes nothing`() async throws {
        let app = try await app()
        let host = try host(app)
        #expect(try await ask(host, "sets \(Self.ours) key value") == "set")
        #expect(try await ask(host, "fills \(Self.ours) 30").hasPrefix("full: "))
        #expect(try await ask(host, "gets \(Self.ours) key") == "value")
    }

    // MARK: SQLite

    @Test func `S4: two extensions and the app write one SQLite database at the same time`() async throws {
        let (one, other) = (try await ledger("com.example.shout"), try await ledger("com.example.call"))
        let host = try host(one, other)
        async let first = ask(host, "\(Self.ours) 20")
        async let second = ask(host, "\(Self.ours) 20", of: "com.example.call")
        async let third = write(20, as: one)
        let ends = try await [first, second, third]
        #expect(ends.allSatisfy { $0.hasSuffix(" 0 ok") }, "\(ends)")
        #expect(try await write(0, as: one) == "60 0 ok")
    }

    @Test func `S4: writers that are killed at random moments leave a whole database`() async throws {
        // No other test has an extension of this name.
        let name = "com.example.killed"
        let app = try await ledger(name)
        let host = try host(app)
        for _ in 0..<(Int(ProcessInfo.processInfo.environment["ANNEX_KILLS"] ?? "") ?? 12) {
            let session = try await host.begin(name + ".loud")
            async let request = session.request([ExtensionItem(contentText: "\(Self.ours) 1000000")])
            let writer = try ChildProcess(
                ChildProcess.executable(app.path + "/Shout"), arguments: [place, Self.ours, "1000000"], in: folder.url)
            try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000)))
            writer.signal(SIGKILL)
            for process in ProcessTable.all({ Self.isExtension($0, named: name + ".loud") }) { kill(process, SIGKILL) }
            _ = try? await request
            #expect(await session.untilEnd()?.reason == .crashed)
            _ = await writer.ended()
            let summary = try await write(0, as: app)
            #expect(summary.hasSuffix(" 0 ok") || summary.hasSuffix(" none ok"), "\(summary)")
        }
    }

    private static func isExtension(_ process: Int32, named name: String) -> Bool {
        ProcText.lines(of: "/proc/\(process)/cmdline").first?.hasPrefix(name) ?? false
    }

    private func ledger(_ identifier: String) async throws -> SubstituteApp {
        try await app(identifier, running: "keeps-a-ledger", program: "keeps-a-ledger-as-app")
    }

    /// Writes entries as the containing app, and returns what the ledger holds then.
    private func write(_ count: Int, as app: SubstituteApp) async throws -> String {
        let ran = try await Program.run(app.path + "/Shout", [place, Self.ours, "\(count)"], in: folder)
        #expect(ran.status == 0, "\(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    // MARK: Pasteboards and secrets

    @Test func `S5: what one member copies is pasted by another, and expires`() async throws {
        let app = try await app()
        let host = try host(app)
        #expect(try await ask(host, "pastes \(Self.ours)") == "none")
        let count = try #require(Int(try await ask(host, "copies \(Self.ours) milk")))
        #expect(try await run(app, "pastes") == "milk")
        #expect(try await ask(host, "writer \(Self.ours)") == "com.example.shout.loud")
        #expect(try await Int(run(app, "copies", "bread")) == count + 1)
        #expect(try await ask(host, "pastes \(Self.ours)") == "bread")
        _ = try await ask(host, "copies \(Self.ours) eggs soon-gone")
        #expect(try await ask(host, "pastes \(Self.ours)") == "none")
    }

    @Test func `S5: a secret is shared by the members, and is not readable on disk`() async throws {
        let app = try await app()
        let host = try host(app)
        #expect(try await ask(host, "hides \(Self.ours) token swordfish") == "a file of mode 600")
        #expect(try await run(app, "reveals", "token") == "swordfish")
        #expect(try await run(app, "reveals", "other") == "none")
        let stores = try FileManager.default.subpathsOfDirectory(atPath: place).filter { $0.contains("store.db") }
        #expect(!stores.isEmpty)
        for store in stores {
            let bytes = try Data(contentsOf: URL(filePath: place + "/" + store))
            #expect(bytes.range(of: Data("swordfish".utf8)) == nil)
        }
    }

    // MARK: Commands

    @Test func `annex group lists and shows the groups, and names what is missing`() async throws {
        let app = try await app()
        let host = try host(app)
        #expect(try await ask(host, "writes \(Self.ours) list milk") == "written")
        #expect(try await annex("list").output.hasPrefix("\(Self.ours)  team "))
        let shown = try await annex("show", Self.ours)
        #expect(shown.output.contains("holds      1 files"), "\(shown)")
        #expect(try await run(app, "where").hasSuffix("/\(Self.ours)/container"))
        let missing = try await annex("show", "group.com.example.none")
        #expect(missing.status == 1 && missing.errors.contains("there is no group"), "\(missing)")
        let key = try await annex("defaults", Self.ours, "none")
        #expect(key.status == 1 && key.errors.contains("no value for none"), "\(key)")
    }
}
