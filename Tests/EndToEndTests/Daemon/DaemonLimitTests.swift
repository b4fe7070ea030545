import AnnexBrokerAPI
import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// Each limit of a daemon can be reached, and the error names the limit. Reaching a limit must have no other effect.
@Suite(.timeLimit(.minutes(20))) struct DaemonLimitTests {
    private func daemon(in folder: TemporaryFolder? = nil, _ limits: String...) async throws -> TestDaemon {
        try await TestDaemon(in: folder, limits.flatMap { ["--limit", $0] })
    }

    private func connect(_ daemon: TestDaemon) throws -> AnnexHost {
        try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
    }

    private func rejection(_ work: () throws -> Void) -> BrokerError? {
        do {
            try work()
            return nil
        } catch {
            return error as? BrokerError
        }
    }

    // MARK: Limits on a number at one time

    @Test func `the open requests of one user are limited`() async throws {
        let store = try StalledStore()
        let daemon = try await daemon(in: store.folder, "open-requests=4")
        let client = try await RawClient(daemon.socket)
        for number in UInt64(1)...5 { try await client.send(.request(number, .list(after: ""))) }
        guard case .answer(5, .failed(let error))? = try await client.next() else {
            Issue.record("the fifth was to be refused first")
            return
        }
        #expect(error.code == .overQuota && error.what.contains("4 open requests"), "\(error)")
        try await store.goOn()
        for number in UInt64(1)...4 {
            #expect(try await client.next().map { "\($0)" }?.contains("answer(\(number)") == true)
        }
        // The quota is free again.
        #expect(try await client.ask(6, .list(after: "")) == .extensions([], isAll: true))
    }

    @Test func `the running extensions of one user are limited over all hosts`() async throws {
        let daemon = try await daemon("running=2")
        let (one, other) = (try HonestHost(daemon), try connect(daemon))
        let sessions = [try await one.begin(), try await other.begin(SubstituteApp.identifier)]
        let rejected = await #expect(throws: HostError.self) { try await other.begin(SubstituteApp.identifier) }
        #expect("\(String(describing: rejected))".contains("2 running extensions"))
        #expect(try await one.text(sessions[1], "looks 1") == "looked")
        #expect(await sessions[0].complete().reason == .completed)
        #expect(try await one.text(sessions[1], "looks 1") == "looked")
        let third = try await other.begin(SubstituteApp.identifier)
        for session in [sessions[1], third] { #expect(await session.complete().reason == .completed) }
    }

    /// If no control group can be made, the log says that nothing enforces this limit.
    @Test func `the processes of one user are limited by one control group`() async throws {
        let daemon = try await daemon("processes=77", "memory-bytes=1073741824")
        let host = try HonestHost(daemon)
        let session = try await host.begin()
        if daemon.log.contains("no control group limits") { return }
        #expect(bounds(of: daemon, in: "pids.max").contains("77"))
        let memory = bounds(of: daemon, in: "memory.max") + bounds(of: daemon, in: "memory.limit_in_bytes")
        #expect(memory.contains("1073741824"), "\(memory)")
        #expect(await session.complete().reason == .completed)
        #expect(await daemon.end() == .exited(0))
        #expect(!bounds(of: daemon, in: "pids.max").contains("77"))
    }

    /// The contents of the files with this name in the control groups that a daemon made.
    private func bounds(of daemon: TestDaemon, in name: String) -> [String] {
        let mounts = ProcText.lines(of: "/proc/self/mountinfo").filter { $0.contains(" - cgroup") }
        let owners = [".\(daemon.number).", "user-\(getuid())/"]
        return Set(mounts.map { String($0.split(separator: " ")[4]) }).flatMap { root in
            (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix("/" + name) && owners.contains(where: $0.contains) }
                .compactMap { ProcText.lines(of: root + "/" + $0).first }
        }
    }

    @Test func `the apps of one user and their extensions are limited`() async throws {
        let daemon = try await daemon("apps=2", "extensions=3")
        let host = try connect(daemon)
        let apps = try ["a", "b", "c"].map { name in
            try MadeApp("com.example.\(name)", carrying: ["com.example.\(name).one"])
        }
        for app in apps.prefix(2) { try host.installAndWait(app: app.path) }
        let third = rejection { try host.installAndWait(app: apps[2].path) }
        #expect(third?.code == .overQuota && third?.what.contains("2 apps") == true, "\(String(describing: third))")
        // An installed app may be installed again with more extensions, but not with too many.
        let more = try MadeApp("com.example.a", carrying: ["com.example.a.one", "com.example.a.two"])
        try await host.install(app: more.path)
        let most = try MadeApp("com.example.a", carrying: (0..<3).map { "com.example.a.part\($0)" })
        let excess = rejection { try host.installAndWait(app: most.path) }
        #expect(excess?.code == .overQuota && excess?.what.contains("3 extensions") == true)
        #expect(await host.extensions().count == 3)
        // An extension that is switched off still counts as installed.
        try await host.setEnabled(false, for: "com.example.b.one")
        #expect(rejection { try host.installAndWait(app: most.path) }?.code == .overQuota)
        try await host.remove(app: "com.example.b")
        try await host.install(app: most.path)
        #expect(await host.extensions().map(\.containingApp) == Array(repeating: "com.example.a", count: 3))
    }

    @Test func `the bytes of the apps of one user are limited`() async throws {
        let daemon = try await daemon("installed-bytes=4096")
        let app = try MadeApp("com.example.a")
        let error = rejection { try connect(daemon).installAndWait(app: app.path) }
        #expect(error?.code == .overQuota && error?.what.contains("larger than the space that is left") == true)
        #expect(ProcText.names(in: daemon.store.path).allSatisfy { $0 == "index" })
    }

    // MARK: Limits on amounts and times

    @Test func `only so many packets are read in a second and the rest later`() async throws {
        let daemon = try await daemon("packets-per-second=50")
        let client = try await RawClient(daemon.socket)
        _ = try await client.ask(1, .list(after: ""))
        let clock = ContinuousClock()
        let begun = clock.now
        for _ in 0..<200 { try await client.send(.notice(1, .gaveSign)) }
        #expect(try await client.ask(2, .claim(7)) == .claimed(isYours: false))
        // The packets would fill the budgets of four seconds. The daemon reads those of the first second at once, and
        // the others soon after.
        #expect(clock.now - begun > .seconds(1))
    }

    @Test func `only so many connections are admitted in a second and a few more later`() async throws {
        let daemon = try await daemon("accepts-per-second=5")
        _ = try await RawClient(daemon.socket)
        let clock = ContinuousClock()
        let begun = clock.now
        for _ in 0..<20 { _ = try await RawClient(daemon.socket) }
        // The connections would fill the budgets of four seconds.
        #expect(clock.now - begun > .seconds(1))
    }

    @Test func `connections beyond the limit of a second are closed, and the log counts them`() async throws {
        let daemon = try await daemon("accepts-per-second=1")
        let honest = try HonestHost(daemon)
        var clients: [RawClient] = []
        for _ in 0..<100 { clients.append(try await RawClient(daemon.socket, hello: false)) }
        await eventually { daemon.log.contains("connections were refused") }
        let line = daemon.log.split(separator: "\n").first { $0.contains("connections were refused") } ?? ""
        let count = line.split(separator: " ").first { $0.hasPrefix("count=") }?.dropFirst("count=".count)
        #expect(count.flatMap { Int($0) } ?? 0 > 1 && line.contains("1 new connections in a second"), "\(line)")
        #expect(line.contains(" user=\(getuid()) "), "\(line)")
        // Some clients get the reason.
        #expect(clients.contains(where: isTold))
        try await honest.works()
    }

    /// Whether a client has got a packet.
    private func isTold(_ client: RawClient) -> Bool {
        guard let received = try? client.socket.receive(atMost: 1 << 17) else { return false }
        if case .message = received { return true }
        return false
    }

    @Test func `a user at the limit of connections is in the log`() async throws {
        let daemon = try await daemon("connections=2")
        var clients: [RawClient] = []
        for _ in 0..<2 { clients.append(try await RawClient(daemon.socket)) }
        for _ in 0..<5 { clients.append(try await RawClient(daemon.socket, hello: false)) }
        await eventually { daemon.log.contains("connections were refused") }
        #expect(daemon.log.contains("has reached a limit: 2 connections"))
    }

    @Test(arguments: ["unread-packets=50", "unread-bytes=20000", "unread=1"])
    func `packets that a host does not read are bounded`(limit: String) async throws {
        // All other limits are too high to be reached. Requests of a client that has left may stay open for a moment.
        let far = ["unread-packets=1000000", "unread-bytes=1000000000", "unread=3000", "open-requests=100000"]
        let name = limit.prefix { $0 != "=" }
        let daemon = try await TestDaemon(
            (far.filter { !$0.hasPrefix(name + "=") } + [limit]).flatMap { ["--limit", $0] })
        let honest = try HonestHost(daemon)
        let client = try await RawClient(daemon.socket)
        await #expect(throws: SystemError.self) { try await client.asksForEver() }
        let words = limit == "unread=1" ? "has read nothing" : "does not read"
        await eventually { daemon.log.contains(words) }
        try await honest.works()
    }

    @Test func `a client that sends no hello is disconnected in time`() async throws {
        let daemon = try await daemon("handshake=1")
        let silent = try await RawClient(daemon.socket, hello: false)
        #expect(await silent.lastWords().isEmpty)
        await eventually { daemon.log.contains("no hello within 1.0 seconds") }
    }

    @Test func `a daemon that ends waits at most its farewell time for a silent reader`() async throws {
        let daemon = try await daemon("farewell=1", "unread-packets=1000000", "unread-bytes=1000000000", "unread=3000")
        let client = try await RawClient(daemon.socket)
        // The client sends until a packet can no longer be sent. At that point, the daemon has stopped reading.
        var number: UInt64 = 0
        while number < 5_000 {
            number += 1
            try await client.send(.request(number, .list(after: "")))
        }
        #expect(await daemon.end() == .exited(0))
    }

    @Test func `the broker of an idle user ends and the installed apps stay`() async throws {
        let daemon = try await daemon("idle=1")
        let app = try MadeApp("com.example.a", carrying: ["com.example.a.one"])
        try await connect(daemon).install(app: app.path)
        await eventually { ProcessTable.wardens(of: daemon.number).isEmpty }
        let host = try connect(daemon)
        #expect(await host.extensions().map(\.id) == ["com.example.a.one"])
        #expect(ProcessTable.wardens(of: daemon.number).count == 1)
    }

    // MARK: The command line

    @Test(arguments: ["running", "running=", "running=0", "running=-1", "running=x", "walking=1", "=1", "running=1=2"])
    func `an invalid limit is refused with the list of limits`(word: String) async throws {
        let ran = try await Program.run("annexd", ["--limit", word], in: TemporaryFolder())
        #expect(ran.status == 64 && ran.errors.contains(word.hasPrefix("running=") ? "running" : "installed-bytes"))
    }
}
