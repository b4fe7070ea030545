import AnnexBroker
import AnnexBrokerAPI
import AnnexLinux
import AnnexModel
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

private let kills = Repetitions("ANNEX_KILLS", short: 12)

/// App groups of extensions whose broker is embedded: members, containers, and shared defaults.
@Suite(.timeLimit(.minutes(kills.watchdog))) struct AppGroupTests {
    private let world: GroupWorld

    init() throws { world = try GroupWorld() }

    // MARK: Members

    /// The files of a group belong to the user of the broker, who may be root.
    @Test func `SHARE-06: a policy that lets mode bits be set gives its extensions no app group`() async throws {
        for (name, text) in [
            (
                "points/com.apple.share-services",
                "point: com.apple.share-services\nname: Share\nsummary: Shares.\npolicy: own\nreplaces: shipped\n"
                    + "entitlements: { allowed: [\(GroupWorld.entitlement)] }\n"
            ),
            (
                "policies/own",
                "policy: own\nsummary: Allows a call in any form.\nincludes: [com.apple.share-services]\n"
                    + "allow:\n  - reason: A test.\n    calls: [fchmod]\n"
            ),
        ] {
            let file = world.folder.url.appending(path: name + ".yaml")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let (points, policies) = (world.folder.url.path + "/points", world.folder.url.path + "/policies")
        let app = try await world.app()
        let host = try world.host(app, points: points, policies: policies)
        let error = await #expect(throws: HostError.self) { _ = try await host.begin("com.example.shout.loud") }
        guard case .rejected(let rejection)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(rejection.code == .invalidPolicy && rejection.what.contains("allows fchmod"), "\(rejection)")
        let ungranted = try world.host(app, granting: false, points: points, policies: policies)
        #expect(await (try ungranted.begin("com.example.shout.loud")).complete().reason == .completed)
        withExtendedLifetime(app) {}
    }

    @Test func `S1: a member finds its group, and what another member wrote`() async throws {
        let (one, other) = (try await world.app(), try await world.app("com.example.call"))
        let host = try world.host(one, other)
        #expect(try await world.ask(host, "groups") == GroupWorld.ours)
        #expect(try await world.ask(host, "where \(GroupWorld.ours)") == "/groups/\(GroupWorld.ours)")
        #expect(try await world.ask(host, "writes \(GroupWorld.ours) list milk") == "written")
        #expect(try await world.ask(host, "reads \(GroupWorld.ours) list", of: "com.example.call") == "milk")
        #expect(try await world.ask(host, "has \(GroupWorld.ours) list", of: "com.example.call") == "yes")
        #expect(try await world.ask(host, "has \(GroupWorld.ours) none", of: "com.example.call") == "errno \(ENOENT)")
        #expect(try await world.ask(host, "lists /groups") == GroupWorld.ours)
    }

    @Test func `S1: an app of another team has a group of its own under the same name`() async throws {
        let (one, other) = (try await world.app(), try await world.app("com.example.call", signedBy: "theirs"))
        let host = try world.host(one, other)
        #expect(try await world.ask(host, "writes \(GroupWorld.ours) list milk") == "written")
        #expect(try await world.ask(host, "sets \(GroupWorld.ours) key ours") == "set")
        #expect(try await world.ask(host, "reads \(GroupWorld.ours) list", of: "com.example.call") == "errno \(ENOENT)")
        #expect(try await world.ask(host, "gets \(GroupWorld.ours) key", of: "com.example.call") == "none")
    }

    @Test func `S1: without a signature, a declaration of both or a grant, there is no group`() async throws {
        let none = "unavailable: "
        let unsigned = try await world.app(signedBy: nil)
        #expect(try await world.ask(world.host(unsigned), "where \(GroupWorld.ours)").hasPrefix(none))
        let undeclared = try await world.app(groups: [GroupWorld.ours], ofApp: [])
        #expect(try await world.ask(world.host(undeclared), "where \(GroupWorld.ours)").hasPrefix(none))
        let ungranted = try await world.app()
        #expect(try await world.ask(world.host(ungranted, granting: false), "where \(GroupWorld.ours)").hasPrefix(none))
        #expect(try await world.ask(world.host(ungranted, granting: false), "lists /groups") == "errno \(ENOENT)")
    }

    @Test func `S1: a member reaches no other group, and no file of the broker`() async throws {
        let (one, other) = (
            try await world.app(), try await world.app("com.example.call", groups: ["group.com.example.theirs"])
        )
        let host = try world.host(one, other)
        #expect(
            try await world.ask(host, "writes group.com.example.theirs list milk", of: "com.example.call") == "written")
        #expect(try await world.ask(host, "where group.com.example.theirs").hasPrefix("notMember: "))
        let group = "/groups/\(GroupWorld.ours)"
        for path in ["/groups/group.com.example.theirs/list", group + "/../store.db", group + "/../words"] {
            #expect(try await world.ask(host, "opens \(GroupWorld.ours) \(path)") == "errno \(ENOENT)", "\(path)")
        }
    }

    @Test func `S1: a stranger cannot tell a group that exists from one that does not`() async throws {
        let (one, other) = (
            try await world.app(), try await world.app("com.example.call", groups: ["group.com.example.theirs"])
        )
        let host = try world.host(one, other)
        let member = try await host.begin("com.example.call.loud")
        for words in ["sets key value", "copies word", "hides word secret"] {
            let parts = words.split(separator: " ", maxSplits: 1)
            let words = "\(parts[0]) group.com.example.theirs \(parts[1])"
            let answer = try await member.request([ExtensionItem(contentText: words)]).first?.contentText ?? ""
            #expect(!answer.hasPrefix("not"), "\(words): \(answer)")
        }
        // The member still runs, so its group is still open in the same broker.
        for conduct in ["where", "sets", "gets", "copies", "pastes", "hides", "reveals"] {
            let there = try await world.ask(host, "\(conduct) group.com.example.theirs key value")
            let missing = try await world.ask(host, "\(conduct) group.com.example.nobody key value")
            #expect(there.hasPrefix("notMember: "), "\(conduct)")
            #expect(there.replacing("theirs", with: "nobody") == missing, "\(conduct)")
        }
        #expect(try await world.ask(host, "lists /groups") == GroupWorld.ours)
        for path in ["/dev/shm", "/proc/net/unix", "/proc/locks", "/proc/1/root/groups", "/run"] {
            let seen = try await world.ask(host, "opens \(GroupWorld.ours) \(path)")
            #expect(seen.hasPrefix("errno "), "\(path): \(seen)")
        }
        _ = await member.complete()
    }

    @Test func `S1: a grant that was revoked ends the use of the services at once`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        let session = try await host.begin("com.example.shout.loud")
        func answer(_ words: String) async throws -> String {
            try await session.request([ExtensionItem(contentText: words)]).first?.contentText ?? ""
        }
        #expect(try await answer("sets \(GroupWorld.ours) key value") == "set")
        try await host.revoke(GroupWorld.entitlement, from: "com.example.shout.loud")
        #expect(try await answer("sets \(GroupWorld.ours) key other").hasPrefix("notAllowed: "))
        _ = await session.complete()
    }

    @Test func `S1: a member of a group that is too large is ended, and its files stay`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        let container = try await world.run(app, "where")
        // The files are empty and take no room, so only the limit on the number of files is exceeded.
        for number in 0..<16_400 { try Data().write(to: URL(filePath: "\(container)/\(number)")) }
        let session = try await host.begin("com.example.shout.loud")
        let end = try #require(await session.untilEnd())
        #expect(
            end.reason == .diskLimit && "\(end.detail)".contains("files in the app group \(GroupWorld.ours)"), "\(end)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: container).count == 16_400)
    }

    @Test func `FS-41: fast members together exceed the limit of their group by a quarter at most`() async throws {
        let (one, other) = (try await world.app(), try await world.app("com.example.call"))
        let host = try world.host(one, other)
        let container = try await world.run(one, "where")
        let uses = try await untilUnhindered(atMost: 320 << 20) {
            for end in try await flooding(host) { #expect(end.reason == .diskLimit, "\(end)") }
            let use = try takeFiles(from: container)
            #expect(use > 256 << 20)
            return use
        }
        #expect(uses.last.map { $0 <= 320 << 20 } == true, "\(uses)")
    }

    /// Lets two members of the group write until they end.
    private func flooding(_ host: AnnexHost) async throws -> [Termination] {
        let sessions = [try await host.begin("com.example.shout.loud"), try await host.begin("com.example.call.loud")]
        await withTaskGroup { tasks in
            for (number, session) in sessions.enumerated() {
                let words = "floods \(GroupWorld.ours) \(number)"
                tasks.addTask { _ = try? await session.request([ExtensionItem(contentText: words)]) }
            }
        }
        return [await sessions[0].complete(), await sessions[1].complete()]
    }

    /// Removes the files of a folder.
    /// - Returns: the bytes that they used on the disk.
    private func takeFiles(from folder: String) throws -> UInt64 {
        try FileManager.default.subpathsOfDirectory(atPath: folder).reduce(0) { sum, name in
            var status = stat()
            try #require(lstat(folder + "/" + name, &status) == 0)
            try FileManager.default.removeItem(atPath: folder + "/" + name)
            return sum + UInt64(status.st_blocks) * 512
        }
    }

    @Test func `S1: deep folders, links and pipes in a container hold up nothing`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        let container = try await world.run(app, "where")
        // Another member may make a link, a pipe and deep folders, by calls that extensions may not make.
        symlink("/etc", container + "/link")
        mkfifo(container + "/pipe", 0o600)
        var folder = open(container, O_RDONLY | O_DIRECTORY)
        for _ in 0..<10_000 {
            mkdirat(folder, "d", 0o700)
            let next = openat(folder, "d", O_RDONLY | O_DIRECTORY)
            close(folder)
            folder = next
        }
        #expect(folder >= 0)
        close(folder)
        let session = try await host.begin("com.example.shout.loud")
        let end = try #require(await session.untilEnd())
        #expect(end.reason == .diskLimit && "\(end.detail)".contains("nested more than 64 deep"), "\(end)")
        // The app is not ended, and it can access its data.
        #expect(try await world.run(app, "sets", "color", "red") == "set")
        #expect(try await world.annex("show", GroupWorld.ours).status == 0)
        #expect(try await world.annex("defaults", GroupWorld.ours, "color").output == "red\n")
    }

    // MARK: Shared defaults

    @Test func `S2: a value that one member sets is read by another, and outlives the broker`() async throws {
        let (one, other) = (try await world.app(), try await world.app("com.example.call"))
        let host = try world.host(one, other)
        #expect(try await world.ask(host, "gets \(GroupWorld.ours) color") == "none")
        #expect(try await world.ask(host, "sets \(GroupWorld.ours) color red") == "set")
        #expect(try await world.ask(host, "gets \(GroupWorld.ours) color", of: "com.example.call") == "red")
        #expect(try await world.ask(world.host(one, other), "gets \(GroupWorld.ours) color") == "red")
    }

    @Test func `S2: a member hears of a change that another broker made`() async throws {
        let (one, other) = (try await world.app(), try await world.app("com.example.call"))
        let (here, there) = (try world.host(one, other), try world.host(one, other))
        let session = try await here.begin("com.example.shout.loud")
        async let heard = session.request([ExtensionItem(contentText: "awaits \(GroupWorld.ours)")]).first?.contentText
        // The member sets this value when it begins to wait.
        while try await world.ask(there, "gets \(GroupWorld.ours) ready?", of: "com.example.call") != "true" {}
        #expect(try await world.ask(there, "sets \(GroupWorld.ours) color blue", of: "com.example.call") == "set")
        #expect(try await heard == "color=blue")
        _ = await session.complete()
    }

    @Test func `S2: the app and its extension hear of each other and of the command line`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        async let heard = world.run(app, "awaits")
        while try await world.ask(host, "gets \(GroupWorld.ours) ready?") != "true" {}
        #expect(try await world.ask(host, "sets \(GroupWorld.ours) color blue") == "set")
        #expect(try await heard == "color=blue")
        #expect(try await world.run(app, "sets", "color", "green") == "set")
        #expect(try await world.ask(host, "gets \(GroupWorld.ours) color") == "green")
        #expect(try await world.annex("defaults", GroupWorld.ours, "color", "grey").status == 0)
        #expect(try await world.ask(host, "gets \(GroupWorld.ours) color") == "grey")
        #expect(try await world.annex("defaults", GroupWorld.ours, "color").output == "grey\n")
    }

    @Test func `S2: updates by the app, its extension and another app at the same time lose nothing`() async throws {
        let (one, other) = (try await world.app(), try await world.app("com.example.call"))
        let host = try world.host(one, other)
        async let first = world.ask(host, "adds \(GroupWorld.ours) sum 20")
        async let second = world.ask(host, "adds \(GroupWorld.ours) sum 20", of: "com.example.call")
        async let third = world.run(one, "adds", "sum", "20")
        _ = try await (first, second, third)
        #expect(try await world.annex("defaults", GroupWorld.ours, "sum").output == "60\n")
    }

    @Test func `S2: a change beyond the limits fails, and changes nothing`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        #expect(try await world.ask(host, "sets \(GroupWorld.ours) key value") == "set")
        #expect(try await world.ask(host, "fills \(GroupWorld.ours) 30").hasPrefix("full: "))
        #expect(try await world.ask(host, "gets \(GroupWorld.ours) key") == "value")
    }

    // MARK: SQLite

    @Test func `S4: two extensions and the app write one SQLite database at the same time`() async throws {
        let (one, other) = (try await ledger("com.example.shout"), try await ledger("com.example.call"))
        let host = try world.host(one, other)
        async let first = world.ask(host, "\(GroupWorld.ours) 20")
        async let second = world.ask(host, "\(GroupWorld.ours) 20", of: "com.example.call")
        async let third = write(20, as: one)
        let ends = try await [first, second, third]
        #expect(ends.allSatisfy { $0.hasSuffix(" 0 ok") }, "\(ends)")
        #expect(try await write(0, as: one) == "60 0 ok")
    }

    @Test func `S4: writers that are killed at random moments leave a whole database`() async throws {
        // The name is unique, so no other test has an extension of this name.
        let name = "com.example.killed"
        let app = try await ledger(name)
        let host = try world.host(app)
        for _ in 0..<kills.count {
            let session = try await host.begin(name + ".loud")
            async let request = session.request([ExtensionItem(contentText: "\(GroupWorld.ours) 1000000")])
            let writer = try ChildProcess(
                ChildProcess.executable(app.path + "/Shout"), arguments: [world.place, GroupWorld.ours, "1000000"],
                in: world.folder.url)
            try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000)))
            writer.signal(SIGKILL)
            GroupWorld.killExtension(named: name + ".loud")
            _ = try? await request
            #expect(await session.untilEnd()?.reason == .crashed)
            _ = await writer.ended()
            let summary = try await write(0, as: app)
            #expect(summary.hasSuffix(" 0 ok") || summary.hasSuffix(" none ok"), "\(summary)")
        }
    }

    private func ledger(_ identifier: String) async throws -> SubstituteApp {
        try await world.app(identifier, running: "keeps-a-ledger", program: "keeps-a-ledger-as-app")
    }

    /// Writes entries as the containing app, and returns the contents of the ledger after that.
    private func write(_ count: Int, as app: SubstituteApp) async throws -> String {
        let ran = try await Program.run(
            app.path + "/Shout", [world.place, GroupWorld.ours, "\(count)"], in: world.folder)
        #expect(ran.status == 0, "\(ran)")
        return ran.output.trimmingCharacters(in: .newlines)
    }

    // MARK: Pasteboards and secrets

    @Test func `S5: what one member copies is pasted by another, and expires`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        #expect(try await world.ask(host, "pastes \(GroupWorld.ours)") == "none")
        let count = try #require(Int(try await world.ask(host, "copies \(GroupWorld.ours) milk")))
        #expect(try await world.run(app, "pastes") == "milk")
        #expect(try await world.ask(host, "writer \(GroupWorld.ours)") == "com.example.shout.loud")
        #expect(try await Int(world.run(app, "copies", "bread")) == count + 1)
        #expect(try await world.ask(host, "pastes \(GroupWorld.ours)") == "bread")
        _ = try await world.ask(host, "copies \(GroupWorld.ours) eggs soon-gone")
        #expect(try await world.ask(host, "pastes \(GroupWorld.ours)") == "none")
    }

    @Test func `S5: a secret is shared by the members, and is not readable on disk`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        #expect(try await world.ask(host, "hides \(GroupWorld.ours) token swordfish") == "a file of mode 600")
        #expect(try await world.run(app, "reveals", "token") == "swordfish")
        #expect(try await world.run(app, "reveals", "other") == "none")
        let stores = try FileManager.default.subpathsOfDirectory(atPath: world.place).filter { $0.contains("store.db") }
        #expect(!stores.isEmpty)
        for store in stores {
            let bytes = try Data(contentsOf: URL(filePath: world.place + "/" + store))
            #expect(bytes.range(of: Data("swordfish".utf8)) == nil)
        }
    }

    // MARK: Commands

    @Test func `annex group lists and shows the groups, and names what is missing`() async throws {
        let app = try await world.app()
        let host = try world.host(app)
        #expect(try await world.ask(host, "writes \(GroupWorld.ours) list milk") == "written")
        #expect(try await world.annex("list").output.hasPrefix("\(GroupWorld.ours)  team "))
        let shown = try await world.annex("show", GroupWorld.ours)
        #expect(shown.output.contains("holds      1 files"), "\(shown)")
        #expect(try await world.run(app, "where").hasSuffix("/\(GroupWorld.ours)/container"))
        let missing = try await world.annex("show", "group.com.example.none")
        #expect(missing.status == 1 && missing.errors.contains("there is no group"), "\(missing)")
        let key = try await world.annex("defaults", GroupWorld.ours, "none")
        #expect(key.status == 1 && key.errors.contains("no value for none"), "\(key)")
    }
}
