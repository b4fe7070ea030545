import AnnexBroker
import AnnexBrokerAPI
import AnnexChannel
import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// The system's daemon. It serves every user, and no user can access the data of another user.
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

    @Test func `each user has separate apps, extensions and limits`() async throws {
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try await host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        // The other user cannot see, launch or remove anything.
        #expect(try await ask("list", as: other) == "")
        #expect(try await ask("hold", SubstituteApp.identifier, as: other).contains("is not installed"))
        #expect(try await ask("remove", "com.example.shout", as: other).contains("is not installed"))
        // The other user installs the same app and owns this installation.
        #expect(try await ask("install", app.path, as: other) == SubstituteApp.identifier)
        #expect(try await ask("list", as: other) == SubstituteApp.identifier)
        let holding = try FixtureHost([daemon.socket, "hold", SubstituteApp.identifier], as: other)
        #expect(try await holding.firstLine() == "holds 0")
        #expect(ProcessTable.wardens(of: daemon.number).count == 2)
        #expect(try await ask("remove", "com.example.shout", as: other) == "")
        #expect(await holding.lastLine().contains("removed"))
        // These actions have not changed the first user's data.
        #expect(await host.extensions().map(\.id) == [SubstituteApp.identifier])
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        #expect(await session.complete().reason == .completed)
        #expect(ProcText.names(in: daemon.store.path).sorted() == ["0", "\(other)"])
    }

    /// Sends the hello of a host of version 3, and prints the answer. A host of the library would fail before its
    /// hello, because in such a namespace it considers root a foreign user.
    private static let hello = """
        import socket, sys
        host = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        host.connect(sys.argv[1])
        try: host.send(bytes([1, 0, 1, 0, 0, 0, 1, 2, 0, 8, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]))
        except BrokenPipeError: pass
        # A hello that nobody read is an error of the socket's, told once, ahead of the rejection.
        try: told = host.recv(1 << 17)
        except ConnectionResetError: told = host.recv(1 << 17)
        print("welcome" if told[6] == 1 else told.decode("latin1"))
        """

    /// The daemon's answer to a client in a user namespace that another user made. The client has its own user inside
    /// the namespace.
    /// - Parameter map: the line of its `uid_map` and `gid_map`.
    private func told(inNamespaceOf maker: Int, _ map: String, as user: Int) async throws -> String {
        let maker = "\(maker)"
        let holder = try ChildProcess(
            URL(filePath: "/usr/bin/setpriv"),
            arguments: ["--reuid", maker, "--regid", maker, "--clear-groups", "unshare", "--user", "sleep", "3000"])
        defer { holder.signal(SIGKILL) }
        let place = "/proc/\(holder.number)"
        func namespace(_ process: String) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/ns/user")
        }
        await eventually { namespace(place) != namespace("/proc/self") || !holder.isRunning }
        for name in ["uid_map", "gid_map"] {
            let file = try FileHandle(forWritingTo: URL(filePath: "\(place)/\(name)"))
            try file.write(contentsOf: Data(map.utf8))
            try file.close()
        }
        let client = try await Program.tool([
            "nsenter", "--user", "--target", "\(holder.number)", "--setuid", "\(user)", "--setgid", "\(user)",
            "python3", "-c", Self.hello, daemon.socket,
        ])
        return client.output
    }

    @Test(.enabled(if: Program.isThere(tool: "python3"), "python3 is not installed"))
    func `a user gets no second store by choosing its own user numbers`() async throws {
        // On most machines, /etc/subuid gives each user 65,536 numbers of this kind.
        let sub = try await told(inNamespaceOf: 65_531, "0 200000 1000", as: 7)
        #expect(sub.contains("user ID 200007 belongs to a user namespace that another user made"), "\(sub)")
        // The user stays the same, whatever its number inside the namespace is.
        let own = try await told(inNamespaceOf: 65_531, "0 65531 1", as: 0)
        #expect(own == "welcome\n", "\(own)")
        // Root may map numbers to themselves, but not to others.
        let kept = try await told(inNamespaceOf: 0, "0 0 70000", as: 65_530)
        #expect(kept == "welcome\n", "\(kept)")
        let shifted = try await told(inNamespaceOf: 0, "0 300000 1000", as: 7)
        #expect(shifted.contains("user ID 300007"), "\(shifted)")
    }

    @Test func `root is served when the limit of users is reached`() async throws {
        let few = try await TestDaemon(["--system", "--limit", "users=1"])
        chmod(few.folder.url.path, 0o755)
        let first = try FixtureHost([few.socket, "stay"], as: other)
        #expect(try await first.firstLine() == "stays")
        let third = await (try FixtureHost([few.socket, "list"], as: 65_531)).lastLine()
        #expect(third.contains("has reached its limit of users"), "\(third)")
        #expect(try AnnexHost.connectAndWait(to: few.socket, patience: .patience).extensionsAndWait().isEmpty)
    }

    @Test func `root can remove the data of a user whose hosts have ended`() async throws {
        let host = try FixtureHost([daemon.socket, "install", app.path], as: other)
        #expect(await host.lastLine() == SubstituteApp.identifier)
        let words = ["--system", "--state", daemon.folder.url.path + "/state", "--forget-user", "\(other)"]
        // After the last connection, the daemon keeps the user's broker for a while.
        let early = try await Program.run("annexd", words, in: daemon.folder)
        #expect(early.status == 1 && early.errors.contains("end the user's hosts"), "\(early)")
        let folder = daemon.folder
        #expect(await daemon.end() == .exited(0))
        let forgotten = try await Program.run("annexd", words, in: folder)
        #expect(forgotten.status == 0 && forgotten.output.contains("apps/\(other)"), "\(forgotten)")
        #expect(ProcText.names(in: daemon.store.path).isEmpty)
        let none = try await Program.run("annexd", words, in: folder)
        #expect(none.status == 0 && none.output.contains("keeps nothing for user"), "\(none)")
    }

    @Test func `each change is logged with user and program and each end with its host`() async throws {
        let holding = try FixtureHost([daemon.socket, "install", app.path], as: other)
        _ = await holding.lastLine()
        let session = try FixtureHost([daemon.socket, "hold", SubstituteApp.identifier], as: other)
        #expect(try await session.firstLine() == "holds 0")
        #expect(try await ask("remove", "com.example.shout", as: other) == "")
        func line(_ words: String...) -> Bool {
            daemon.log.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
        }
        for change in ["installed", "removed"] {
            await eventually {
                line("annexd: \(change) ", "identifier=com.example.shout ", "user=\(other)", "/host-fixture")
            }
        }
        await eventually { line("annex.broker: an extension ended", "reason=removed", "user=\(other)", "host=") }
        #expect(line("annex.broker: an extension is ready", "user=\(other)", "host="))
    }

    @Test func `root sees the messages in the channels of another user`() async throws {
        #expect(try await ask("install", app.path, as: other) == SubstituteApp.identifier)
        let holding = try FixtureHost([daemon.socket, "hold", SubstituteApp.identifier], as: other)
        #expect(try await holding.firstLine() == "holds 0")
        func row() -> LiveStatusSnapshot? { LiveStatusSnapshot.all().first { $0.broker == daemon.number } }
        await eventually { row()?.channel?.framesSent ?? 0 > 0 }
        holding.kill()
        await eventually { row() == nil }
    }

    @Test func `the connected users are limited and those present go on`() async throws {
        let few = try await TestDaemon(["--system", "--limit", "users=2"])
        chmod(few.folder.url.path, 0o755)
        let host = try AnnexHost.connectAndWait(to: few.socket, patience: .patience)
        let second = try FixtureHost([few.socket, "stay"], as: 65532)
        #expect(try await second.firstLine() == "stays")
        let third = await (try FixtureHost([few.socket, "list"], as: 65531)).lastLine()
        #expect(third.contains("has reached its limit of users"), "\(third)")
        try await host.install(app: app.path)
        second.kill()
        // When a user has nothing open any more, another user can connect.
        var answer = third
        while answer.contains("has reached its limit of users") {
            answer = await (try FixtureHost([few.socket, "list"], as: 65531)).lastLine()
        }
        #expect(answer.isEmpty)
        #expect(await host.extensions().count == 1)
    }

    @Test func `a user at its limits takes nothing of another`() async throws {
        let store = try StalledStore(of: other)
        let limits = ["connections=3", "open-requests=2", "running=1"].flatMap { ["--limit", $0] }
        let daemon = try await TestDaemon(in: store.folder, ["--system"] + limits)
        chmod(daemon.folder.url.path, 0o755)
        // The user's store is never opened. So two requests stay open, and the daemon rejects the third.
        let hosts = try (0..<3).map { _ in try FixtureHost([daemon.socket, "remove", "com.a"], as: other) }
        await eventually { hosts.contains { $0.output.contains("2 open requests") } }
        let host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try await host.install(app: app.path)
        let session = try await host.begin(SubstituteApp.identifier)
        #expect(try await session.request([ExtensionItem(contentText: "looks 1")]).first?.contentText == "looked")
        #expect(await session.complete().reason == .completed)
        try await store.goOn()
        var words: [String] = []
        for host in hosts { words.append(await host.lastLine()) }
        #expect(words.count { $0.contains("is not installed") } == 2, "\(words)")
    }

    @Test func `a user that connects without end takes no connection of another`() async throws {
        let daemon = try await TestDaemon(["--system", "--limit", "accepts-per-second=40"])
        chmod(daemon.folder.url.path, 0o755)
        let socket = daemon.socket
        // The thread ends with the daemon.
        Thread.detachNewThread {
            do { while true { _ = try LocalSocket.connect(to: socket, patience: .seconds(600)) } } catch {}
        }
        await eventually { daemon.log.contains("connections were refused") }
        for _ in 0..<5 {
            #expect(await (try FixtureHost([daemon.socket, "list"], as: other)).lastLine() == "")
        }
        #expect(await daemon.end() == .exited(0))
        #expect(daemon.log.contains("user=0 ") && !daemon.log.contains("user \(other) has reached"))
    }

    @Test func `a store is closed to other users`() async throws {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience).installAndWait(app: app.path)
        let look = try await Program.tool([
            "setpriv", "--reuid", "\(other)", "--regid", "\(other)", "--clear-groups", "ls", daemon.store.path + "/0",
        ])
        #expect(look.status != 0 && look.errors.contains("Permission denied"), "\(look.errors)")
    }

    @Test func `a daemon of one user serves no other user`() async throws {
        let own = try await TestDaemon()
        chmod(own.folder.url.path, 0o755)
        // The daemon rejects the user, even if the mode of the socket would allow the connection.
        chmod(own.socket, 0o666)
        let answer = await (try FixtureHost([own.socket, "list"], as: other)).lastLine()
        #expect(answer.contains("rejected") && answer.contains("it belongs to another user"), "\(answer)")
    }

    @Test func `a host refuses a socket that another user made`() async throws {
        let folder = try TemporaryFolder()
        chown(folder.url.path, uid_t(other), gid_t(other))
        let process = try ChildProcess(
            URL(filePath: "/usr/bin/setpriv"),
            arguments: [
                "--reuid", "\(other)", "--regid", "\(other)", "--clear-groups",
                ChildProcess.executable("annexd").path, "--socket", folder.url.path + "/s", "--state",
                folder.url.path + "/state",
            ], errors: .none)
        defer { process.signal(SIGTERM) }
        // A socket gets its name a moment before it accepts connections.
        await eventually {
            (try? LocalSocket.connect(to: folder.url.path + "/s", patience: .seconds(600))) != nil || !process.isRunning
        }
        // This process is root, and the socket belongs to another user.
        chmod(folder.url.path + "/s", 0o666)
        let error = #expect(throws: BrokerError.self) {
            _ = try AnnexHost.connectAndWait(to: folder.url.path + "/s", patience: .seconds(600))
        }
        #expect("\(String(describing: error))".contains("belongs to user \(other)"))
    }
}
