import AnnexBrokerAPI
import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// A slow operation of one client must delay no other client, and slow operations must not accumulate. If the daemon
/// itself waited for such an operation, the watchdog would end the test.
@Suite(.timeLimit(.minutes(20))) struct StallingClientTests {
    private func isServed(_ daemon: TestDaemon) async throws {
        let client = try await RawClient(daemon.socket)
        // The event loop itself answers this request.
        #expect(try await client.ask(1, .claim(7)) == .claimed(isYours: false))
    }

    @Test func `a client that leaves while its store is opened delays no other`() async throws {
        let store = try StalledStore()
        let daemon = try await TestDaemon(in: store.folder)
        var client: RawClient? = try await RawClient(daemon.socket)
        try await client?.send(.request(1, .list(after: "")))
        // The client's lane has begun the operation and now waits.
        await store.isAwaited()
        client = nil
        await eventually { daemon.log.contains("a connection ended") }
        try await isServed(daemon)
        try await store.goOn()
        guard case .extensions(let none, true)? = try await RawClient(daemon.socket).ask(1, .list(after: "")) else {
            Issue.record("no list")
            return
        }
        #expect(none.isEmpty)
    }

    @Test func `requests of a client that has gone are not carried out`() async throws {
        let app = try MadeApp("com.example.gone", carrying: ["com.example.gone.part"])
        let store = try StalledStore()
        let daemon = try await TestDaemon(in: store.folder)
        let staying = try await RawClient(daemon.socket)
        // This request occupies the lane that changes the store.
        try await staying.send(.request(1, .uninstall(app: "com.example.nobody")))
        var leaving: RawClient? = try await RawClient(daemon.socket)
        let archive = ForgedDescriptors(one: try BundleArchiveWriter.archive(of: app.path))
        try await leaving?.send(.request(1, .install(name: "App.app")), archive.numbers)
        // The daemon answers this request after it has read the installation.
        _ = try await leaving?.ask(2, .claim(7))
        leaving = nil
        await eventually { daemon.log.contains("a connection ended") }
        try await staying.send(.request(2, .uninstall(app: "com.example.nobody")))
        try await store.goOn()
        for number in UInt64(1)...2 {
            guard case .answer(number, .failed)? = try await staying.next() else {
                Issue.record("\(number) is not refused")
                return
            }
        }
        #expect(try await staying.ask(3, .list(after: "")) == .extensions([], isAll: true))
    }

    @Test func `a waiting launch that is given up delays no other client`() async throws {
        let daemon = try await TestDaemon()
        let honest = try HonestHost(daemon)
        // These are as many sessions as the policy allows at once, so the next launch waits.
        var sessions: [ExtensionSession] = []
        for _ in 0..<16 { sessions.append(try await honest.begin()) }
        let lingering = try LingeringSocket()
        let client = try await RawClient(daemon.socket)
        do {
            let channel = try ForgedChannel.laden(with: lingering.open())
            let launch = ServiceRequest.launch(
                extension: SubstituteApp.identifier, for: .request, timeLimit: nil, counters: 1)
            #expect(try await client.ask(1, launch, channel.numbers) == .done)
        }
        // Only the daemon has the channel's descriptors now. The thread that closes the last of them also closes the
        // lingering socket that lies in the channel, and waits for this close.
        try await client.send(.notice(1, .dismissed(.cancelled)))
        while let packet = try await client.next() {
            if case .event(1, .ended(let end)) = packet {
                #expect(end.reason == .cancelled)
                break
            }
        }
        try await isServed(daemon)
        #expect(try await honest.text(sessions[0], "looks 1") == "looked")
        lingering.letGo()
        for session in sessions { #expect(await session.complete().reason == .completed) }
    }

    @Test func `descriptors of requests that wait are not kept`() async throws {
        let store = try StalledStore()
        let daemon = try await TestDaemon(in: store.folder)
        let client = try await RawClient(daemon.socket)
        let before = daemon.descriptors
        let many = try ForgedDescriptors.copies(16)
        for number in UInt64(1)...30 {
            try await client.send(.request(number, .install(name: "A.app")), many.numbers)
        }
        // The event loop itself answers this request, so the daemon has read all earlier packets.
        #expect(try await client.ask(31, .claim(7)) == .claimed(isYours: false))
        await eventually { daemon.descriptors <= before + 40 }
        try await store.goOn()
        try await isServed(daemon)
    }

    @Test func `descriptors that wait to be closed are bounded over all connections`() async throws {
        let store = try StalledStore()
        let daemon = try await TestDaemon(in: store.folder, ["--limit", "closing=4", "--limit", "handshake=1"])
        let lingering = try LingeringSocket()
        let client = try await RawClient(daemon.socket)
        do {
            let gift = try ForgedChannel.lingering(lingering.open())
            try await client.send(
                .request(1, .launch(extension: "com.a.b", for: .request, timeLimit: nil, counters: 1)), gift.numbers)
            _ = try await client.ask(2, .claim(7))
        }
        // Only the daemon has the socket now. After the rejection, the daemon has no descriptor of this user left to
        // close.
        try await store.goOn()
        guard case .answer(1, .failed)? = try await client.next() else {
            Issue.record("was to be refused")
            return
        }
        let honest = try HonestHost(daemon)
        let before = daemon.descriptors
        var (words, most) = ("", 0)
        for _ in 0..<200 where words.isEmpty {
            let client = try await RawClient(daemon.socket, hello: false)
            try? await client.send(.hello(versions: ServiceWire.versions))
            if case .rejected(let error)? = try await client.next() { words = error.what }
            most = max(most, daemon.descriptors)
        }
        #expect(words.contains("16 descriptors that wait to be closed") && most <= before + 30, "\(words) \(most)")
        lingering.letGo()
        await eventually { daemon.descriptors <= before + 2 }
        try await honest.works()
    }
}
