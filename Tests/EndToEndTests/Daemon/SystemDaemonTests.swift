import AnnexBroker
import AnnexChannel
import AnnexHost
import AnnexService
import AnnexTestSupport
import Foundation
import Testing

/// The machine's daemon: every user is served, and none reaches what is another's.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(
        if: getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0,
        "needs root, which alone can serve and be several users"))
struct SystemDaemonTests {
    private let daemon: TestDaemon
    private let app: SubstituteApp
    private let other = 65534

    init() async throws {
        daemon = try await TestDaemon(["--system"])
        app = try SubstituteApp(running: "works-on")
        chmod(daemon.folder.url.path, 0o755)
    }

    private func ask(_ words: String..., as user: Int) async throws -> String {
        await (try FixtureHost([daemon.socket] + words, as: user)).lastLine()
    }

    @Test func `each user has apps, extensions and limits of his own`() async throws {
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        // The other sees nothing, launches nothing, removes nothing.
        #expect(try await ask("list", as: other) == "")
        #expect(try await ask("hold", SubstituteApp.identifier, as: other).contains("is not installed"))
        #expect(try await ask("remove", "com.example.shout", as: other).contains("is not installed"))
        // The same app once more is his own.
        #expect(try await ask("install", app.path, as: other) == SubstituteApp.identifier)
        #expect(try await ask("list", as: other) == SubstituteApp.identifier)
        let holding = try FixtureHost([daemon.socket, "hold", SubstituteApp.identifier], as: other)
        #expect(try await holding.firstLine() == "holds 0")
        #expect(ProcessTable.wardens(of: daemon.number).count == 2)
        #expect(try await ask("remove", "com.example.shout", as: other) == "")
        #expect(await holding.lastLine().contains("removed"))
        // Nothing of that was the first one's.
        #expect(host.extensions.map(\.id) == [SubstituteApp.identifier])
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        #expect(await session.complete().reason == .completed)
        #expect(ProcText.names(in: daemon.store.path).sorted() == ["0", "\(other)"])
    }

    @Test func `root sees what goes through another user's channels`() async throws {
        #expect(try await ask("install", app.path, as: other) == SubstituteApp.identifier)
        let holding = try FixtureHost([daemon.socket, "hold", SubstituteApp.identifier], as: other)
        #expect(try await holding.firstLine() == "holds 0")
        func row() -> BoardSnapshot? { BoardSnapshot.all().first { $0.broker == daemon.number } }
        await eventually { row()?.channel?.framesSent ?? 0 > 0 }
        holding.kill()
        await eventually { row() == nil }
    }

    @Test func `so many users have something open, and those who have go on`() async throws {
        let few = try await TestDaemon(["--system", "--limit", "users=2"])
        chmod(few.folder.url.path, 0o755)
        let host = try AnnexHost.connectAndWait(to: few.socket, patience: .patience)
        let second = try FixtureHost([few.socket, "stay"], as: 65532)
        #expect(try await second.firstLine() == "stays")
        let third = await (try FixtureHost([few.socket, "list"], as: 65531)).lastLine()
        #expect(third.contains("as many as it may"), "\(third)")
        try host.install(app: app.path)
        second.kill()
        // One who has nothing open any more makes room.
        var answer = third
        while answer.contains("as many as it may") {
            answer = await (try FixtureHost([few.socket, "list"], as: 65531)).lastLine()
        }
        #expect(answer.isEmpty)
        #expect(host.extensions.count == 1)
    }

    @Test func `a user who reaches his limits takes nothing of another's`() async throws {
        let store = try StalledStore(of: other)
        let limits = ["connections=3", "open-requests=2", "running=1"].flatMap { ["--limit", $0] }
        let daemon = try await TestDaemon(in: store.folder, ["--system"] + limits)
        chmod(daemon.folder.url.path, 0o755)
        // His store is never opened: two of his requests stay open, and the third is refused.
        let hosts = try (0..<3).map { _ in try FixtureHost([daemon.socket, "remove", "com.a"], as: other) }
        await eventually { hosts.contains { $0.output.contains("2 open requests") } }
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        #expect(await session.complete().reason == .completed)
        try await store.goOn()
        var words: [String] = []
        for host in hosts { words.append(await host.lastLine()) }
        #expect(words.count { $0.contains("is not installed") } == 2, "\(words)")
    }

    @Test func `a store is closed to other users`() async throws {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience).install(app: app.path)
        let look = try await Program.tool([
            "setpriv", "--reuid", "\(other)", "--regid", "\(other)", "--clear-groups", "ls", daemon.store.path + "/0",
        ])
        #expect(look.status != 0 && look.errors.contains("Permission denied"), "\(look.errors)")
    }

    @Test func `a user's own daemon serves nobody else`() async throws {
        let own = try await TestDaemon()
        chmod(own.folder.url.path, 0o755)
        // Even where the socket's own mode would let him.
        chmod(own.socket, 0o666)
        let answer = await (try FixtureHost([own.socket, "list"], as: other)).lastLine()
        #expect(answer.contains("refused") && answer.contains("another user's"), "\(answer)")
    }

    @Test func `a host refuses a socket that another user laid`() async throws {
        let folder = try TemporaryFolder()
        chown(folder.url.path, uid_t(other), gid_t(other))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid", "\(other)", "--regid", "\(other)", "--clear-groups",
            ExampleBundles.products.appending(path: "annexd").path, "--socket", folder.url.path + "/s", "--state",
            folder.url.path + "/state",
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.terminate() }
        await eventually { access(folder.url.path + "/s", F_OK) == 0 || !process.isRunning }
        // Root is nobody's prey: this process is, and the socket is not its own.
        chmod(folder.url.path + "/s", 0o666)
        let error = #expect(throws: ServiceError.self) {
            _ = try AnnexHost.connectAndWait(to: folder.url.path + "/s", patience: .seconds(600))
        }
        #expect("\(String(describing: error))".contains("socket of user \(other)"))
    }
}
