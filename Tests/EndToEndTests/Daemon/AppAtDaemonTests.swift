import AnnexBroker
import AnnexBrokerAPI
import AnnexMessages
import AnnexPortal
import AnnexTestSupport
import Foundation
import Testing

/// Containing apps that use the daemon of the whole machine. The daemon keeps the groups of its users.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(
        if: getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0,
        "needs root, which alone can serve and be several users"))
struct AppAtDaemonTests {
    private static let user = 65534

    private let daemon: TestDaemon
    private let world: GroupWorld

    init() async throws {
        daemon = try await TestDaemon(["--system"])
        world = try GroupWorld()
        for folder in [daemon.folder, world.folder] { chmod(folder.url.path, 0o755) }
    }

    /// Runs a program as a user. The environment tells the program where the daemon is.
    private func run(_ program: String, _ arguments: [String], as user: Int = Self.user) async throws -> Program {
        let words =
            ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "env", "-u", "ANNEX_PRIVATE"]
            + ["ANNEX_DAEMON=\(daemon.socket)", "HOME=\(world.folder.url.path)", program] + arguments
        return try await Program.run("/usr/bin/setpriv", words, in: world.folder)
    }

    private func annex(_ arguments: String...) async throws -> Program {
        try await run(ChildProcess.executable("annex").path, arguments + ["--socket", daemon.socket])
    }

    private func install(_ app: SubstituteApp) async throws {
        let installed = try await annex("install", app.path, "--grant", GroupWorld.entitlement)
        #expect(installed.status == 0, "\(installed)")
    }

    /// Lets the app itself do an action.
    private func act(_ app: SubstituteApp, _ words: String...) async throws -> Program {
        try await run(app.path + "/Shout", ["-", words[0], GroupWorld.ours] + words.dropFirst())
    }

    /// Lets the app's extension do an action.
    private func ask(_ words: String) async throws -> String {
        let asked = try await annex("request", "com.example.shout.loud", "--text", words)
        #expect(asked.status == 0, "\(asked)")
        return asked.output
    }

    @Test func `S1: an app and its extension share a group of the daemon of the machine`() async throws {
        let app = try await world.app()
        try await install(app)
        #expect(try await act(app, "sets", "key", "from-the-app").output == "set\n")
        #expect(try await ask("gets \(GroupWorld.ours) key").contains("from-the-app"))
        #expect(try await ask("sets \(GroupWorld.ours) key from-the-extension").contains("set"))
        #expect(try await act(app, "gets", "key").output == "from-the-extension\n")
        #expect(try await act(app, "hides", "word", "open-sesame").status == 0)
        #expect(try await ask("reveals \(GroupWorld.ours) word").contains("open-sesame"))
    }

    @Test func `S1: an app reaches the files of its group at the daemon of the machine by their paths`() async throws {
        let app = try await world.app()
        try await install(app)
        #expect(try await act(app, "writes", "note", "hello").output == "written\n")
        #expect(try await act(app, "sets", "key", "value").output == "set\n")
        #expect(try await ask("reads \(GroupWorld.ours) note").contains("hello"))
        let place = try await act(app, "where").output.trimmingCharacters(in: .newlines)
        #expect(place.hasPrefix(daemon.folder.url.path + "/state/private-of/\(Self.user)/"))
        // The user can access the container, but nothing beside it. Another user can access nothing.
        let group = (place as NSString).deletingLastPathComponent
        #expect(try await run("/usr/bin/cat", [place + "/note"]).output == "hello")
        for path in [group + "/store.db", group + "/words"] {
            #expect(try await run("/usr/bin/cat", [path]).errors.contains("Permission denied"))
        }
        #expect(try await run("/usr/bin/ls", [group]).errors.contains("Permission denied"))
        #expect(try await run("/usr/bin/touch", [group + "/new"]).errors.contains("Permission denied"))
        for path in [place + "/note", place + "/none", group, group + "x"] {
            #expect(try await run("/usr/bin/cat", [path], as: 65_533).errors.contains("Permission denied"))
        }
    }

    @Test func `S1: another program is not taken for the installed app`() async throws {
        let app = try await world.app()
        try await install(app)
        let program = app.path + "/Shout"
        let copy = world.folder.url.path + "/Copy.app"
        try FileManager.default.copyApp(at: URL(filePath: app.path), to: URL(filePath: copy))
        #expect(try await run(copy + "/Shout", ["-", "sets", GroupWorld.ours, "key", "value"]).output == "set\n")
        // The copy of the program has the same name, but one more byte.
        let file = try FileHandle(forWritingTo: URL(filePath: copy + "/Shout"))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
        try FileManager.default.settleProgram(at: URL(filePath: copy + "/Shout"))
        let other = try await run(copy + "/Shout", ["-", "gets", GroupWorld.ours, "key"])
        #expect(other.status == 1)
        #expect(other.output.contains("this program is not the one of the installed com.example.shout"), "\(other)")
        // The copy of the program has the same size, but one byte differs.
        try FileManager.default.removeItem(atPath: copy + "/Shout")
        var bytes = try Data(contentsOf: URL(filePath: program))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(filePath: copy + "/Shout"))
        chmod(copy + "/Shout", 0o755)
        try FileManager.default.settleProgram(at: URL(filePath: copy + "/Shout"))
        let third = try await run(copy + "/Shout", ["-", "gets", GroupWorld.ours, "key"])
        #expect(third.output.contains("this program is not the one of the installed com.example.shout"), "\(third)")
    }

    @Test func `S1: an app that the daemon does not know uses the own groups of its user`() async throws {
        let app = try await world.app()
        chmod(world.folder.url.path, 0o777)
        let place = try await act(app, "where")
        #expect(place.output.hasPrefix(world.folder.url.path + "/.local/share/annex/private/"), "\(place)")
    }

    @Test func `S1: the portal of an app ends when the app is removed`() async throws {
        let app = try await world.app()
        try await install(app)
        async let waiting = act(app, "awaits")
        while try await ask("gets \(GroupWorld.ours) ready?").contains("true") == false {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await annex("remove", "com.example.shout").status == 0)
        #expect(try await waiting.output == "ended\n")
    }

    @Test func `S6: an app that the daemon of the machine opens knows its groups and its URL`() async throws {
        let app = try await world.app()
        try app.setSchemes(["shout"])
        let key = world.folder.url.path + "/ours"
        #expect(try await Program.annex(["sign", app.path, "--key", key], in: world.folder).status == 0)
        try await install(app)
        let opened = try await annex("open", "shout:now")
        #expect(opened.status == 0, "\(opened)")
        while !(try await ask("gets \(GroupWorld.ours) opened").contains("shout:now")) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The daemon's answer to a process that claims to be an app.
    private func refusal(ofApp identifier: String) async throws -> PortalError? {
        let client = try await RawClient(daemon.socket, hello: false)
        try await client.send(PortalHello(app: identifier).encoded())
        let answer = try await client.bytes()
        #expect(try await client.bytes() == nil, "the connection ends")
        return try PortalDelivery(decoding: #require(answer), within: PortalDelivery.limits).error
    }

    @Test func `a program that is no installed app gets a reason, and no portal`() async throws {
        let app = try await world.app()
        let installed = try await Program.annex("install", app.path, "--socket", daemon.socket, in: world.folder)
        #expect(installed.status == 0)
        #expect(try await refusal(ofApp: "com.example.shout")?.code == .notMember)
        #expect(try await refusal(ofApp: "com.example.other")?.code == .notFound)
        #expect(try await refusal(ofApp: "")?.code == .notFound)
        let client = try await RawClient(daemon.socket)
        try await client.send(PortalHello(app: "com.example.shout").encoded())
        #expect(await client.lastWords().contains("hello of an app"))
    }

    @Test func `connections of apps that were refused give their places back`() async throws {
        for _ in 0..<200 { #expect(try await refusal(ofApp: "com.example.none")?.code == .notFound) }
        let before = daemon.descriptors
        for _ in 0..<20 { _ = try await refusal(ofApp: "com.example.none") }
        await eventually { daemon.descriptors <= before }
    }
}
