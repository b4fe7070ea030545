import AnnexBrokerAPI
import AnnexChannel
import AnnexHost
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// A hostile client can at most end its own connection. The daemon must continue to serve an honest client.
@Suite(.timeLimit(.minutes(20))) struct HostileClientTests {
    private let daemon: TestDaemon
    private let honest: HonestHost

    init() async throws {
        daemon = try await TestDaemon()
        honest = try HonestHost(daemon)
    }

    // MARK: Packets

    @Test func `invalid packets end only their own connection`() async throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        var packets: [[UInt8]] = [
            [], [0], [1, 2, 3], [UInt8](repeating: 0xFF, count: 8 << 10), [UInt8](repeating: 0, count: (8 << 10) + 1),
            [UInt8](repeating: 7, count: 100_000),
        ]
        let whole = try HostPacketMessage(
            .request(9, .launch(extension: "com.example.a.b", for: .request, timeLimit: .seconds(1), counters: 1))
        )
        .encoded()
        for length in 1..<whole.count { packets.append(Array(whole.prefix(length))) }
        for _ in 0..<100 {
            var changed = whole
            changed[Int.random(in: 0..<whole.count, using: &random)] = .random(in: 0 ... .max, using: &random)
            packets.append(changed)
        }
        for packet in packets {
            let client = try await RawClient(daemon.socket)
            try await client.send(packet)
            // A few of these packets happen to be valid requests, which the daemon answers.
            try? await client.send(.hello(versions: ServiceWire.versions))
            #expect(await !client.lastWords().isEmpty, "seed \(seed): \(packet)")
        }
        try await honest.works()
    }

    @Test func `packets out of order end their connection`() async throws {
        let list = HostPacket.request(1, .list(after: ""))
        let orders: [(String, Bool, [HostPacket])] = [
            ("before its hello", false, [list]), ("second hello", true, [.hello(versions: ServiceWire.versions)]),
            ("out of order", true, [list, list]), ("never launched", true, [.notice(1, .saidHello)]),
            ("never launched", false, [.notice(0, .channelClosed)]),
            ("wire versions 99 to 99", false, [.hello(versions: 99...99)]),
        ]
        for (words, hello, packets) in orders {
            let client = try await RawClient(daemon.socket, hello: hello)
            for packet in packets { try await client.send(packet) }
            let last = await client.lastWords()
            #expect(last.contains(words), "\(last)")
        }
        try await honest.works()
    }

    @Test func `a client that sends nothing is disconnected`() async throws {
        var silent: [RawClient] = []
        for _ in 0..<10 { silent.append(try await RawClient(daemon.socket, hello: false)) }
        for client in silent { #expect(await client.lastWords().isEmpty) }
        await eventually { daemon.log.contains("no hello within") }
        try await honest.works()
    }

    // MARK: Descriptors

    @Test func `descriptors that form no channel are rejected`() async throws {
        let client = try await RawClient(daemon.socket)
        var number: UInt64 = 0
        for (what, numbers) in try ForgedChannel.all() {
            number += 1
            let request = ServiceRequest.launch(
                extension: SubstituteApp.identifier, for: .request, timeLimit: nil, counters: 1)
            let answer = try await client.ask(number, request, numbers.numbers)
            guard case .failed(let error)? = answer else {
                Issue.record("\(what): \(String(describing: answer))")
                continue
            }
            #expect(error.what.contains("the descriptors are not a channel"), "\(what): \(error)")
        }
        #expect(number > 8)
        try await honest.works()
    }

    @Test func `an invalid archive is rejected and leaves nothing`() async throws {
        let client = try await RawClient(daemon.socket)
        var number: UInt64 = 0
        for (what, archive) in try ForgedArchive.all() {
            number += 1
            guard case .failed(let error)? = try await client.ask(number, .install(name: "A.app"), archive.numbers)
            else {
                Issue.record("\(what): installed")
                continue
            }
            #expect(error.code == .invalidBundle, "\(what): \(error)")
        }
        // No part of the app is left in the store.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: daemon.store.path).filter { $0 != "index" }.count == 1)
        for name in ["../A.app", "A", ".app/x", "A.app/..", "A\0.app", ""] {
            number += 1
            guard case .failed? = try await client.ask(number, .install(name: name)) else {
                Issue.record("\(name): installed")
                continue
            }
        }
        try await honest.works()
    }

    @Test func `descriptors that the daemon did not ask for are closed`() async throws {
        let before = ProcText.names(in: "/proc/\(daemon.number)/fd").count
        var many = DescriptorList()
        for _ in 0..<16 { many.append(try Descriptor.open("/dev/null", O_RDONLY)) }
        for _ in 0..<20 {
            let client = try await RawClient(daemon.socket)
            for number in 1...20 {
                try? await client.send(.request(UInt64(number), .list(after: "")), many.numbers)
            }
            try? await client.send([1], many.numbers)
        }
        await eventually { ProcText.names(in: "/proc/\(daemon.number)/fd").count <= before + 8 }
        try await honest.worksOnceRequestsEnd()
    }

    // MARK: Floods and quotas

    @Test func `a client that asks and never reads is disconnected`() async throws {
        let client = try await RawClient(daemon.socket)
        await #expect(throws: SystemError.self) { try await client.asksForEver() }
        await eventually { daemon.log.contains("does not read") || daemon.log.contains("has read nothing") }
        try await honest.worksOnceRequestsEnd()
    }

    @Test func `a flood is read at a limited rate and delays no other client`() async throws {
        let client = try await RawClient(daemon.socket)
        let flood = Task.detached {
            // The client sends notices about an extension that ended long ago. They are cheap to send, and the daemon
            // never answers them.
            _ = try await client.ask(1, .list(after: ""))
            while !Task.isCancelled { try await client.send(.notice(1, .gaveSign)) }
        }
        for _ in 0..<5 { try await honest.works() }
        flood.cancel()
        _ = await flood.result
        // The flood broke no rule.
        guard case .extensions? = try await client.ask(2, .list(after: "")) else {
            Issue.record("no answer")
            return
        }
    }

    @Test func `one user has a limited number of connections`() async throws {
        var clients: [RawClient] = []
        var words = ""
        while clients.count < 100, words.isEmpty {
            let client = try await RawClient(daemon.socket, hello: false)
            // The daemon may disconnect a rejected client before the client has sent anything.
            try? await client.send(.hello(versions: ServiceWire.versions))
            switch try await client.next() {
            case .welcome: clients.append(client)
            case .rejected(let error): words = "\(error)"
            default: words = "nothing"
            }
        }
        #expect(words.contains("64 connections") && clients.count >= 60, "\(clients.count): \(words)")
        clients = []
        // The quota is free again as soon as the clients have left.
        var isServed = false
        while !isServed { isServed = (try? await RawClient(daemon.socket)) != nil }
        try await honest.works()
    }

    @Test func `too many open requests or a repeated number end the connection`() async throws {
        try await isLetGo(after: Array(1...1025))
        try await isLetGo(after: [7, 7])
        try await honest.works()
    }

    /// - Parameter requests: the requests that are sent one after another. None of them ends.
    private func isLetGo(after requests: [UInt64]) async throws {
        let client = try await RawClient(daemon.socket)
        let channel = try HostEndpoint.make()
        let host = channel.host
        defer { withExtendedLifetime(host) {} }
        let given = ForgedDescriptors(
            channel.descriptors.control, channel.descriptors.hostRegion, channel.descriptors.extensionRegion)
        let launch = ServiceRequest.launch(
            extension: SubstituteApp.identifier, for: .request, timeLimit: nil, counters: 1)
        guard case .done? = try await client.ask(1, launch, given.numbers) else {
            Issue.record("not launched")
            return
        }
        // When the daemon has read enough, it reads no more.
        for request in requests { try? await client.send(.notice(1, .requestBegan(request))) }
        let last = await client.lastWords()
        #expect(last.contains("already open, or too many requests"), "\(last)")
    }

    // MARK: Other clients

    @Test func `a client cannot end the extension of another`() async throws {
        let session = try await honest.begin()
        let client = try await RawClient(daemon.socket)
        _ = try await client.ask(100, .list(after: ""))
        // The number of the extension is valid on the other connection, but not on this one.
        for number in UInt64(1)...100 {
            try await client.send(.notice(number, .dismissed(.cancelled)))
            try await client.send(.notice(number, .violated(ProtocolViolation("nothing"))))
        }
        _ = try await client.ask(101, .list(after: ""))
        #expect(try await honest.text(session, "looks 1") == "looked")
        #expect(await session.complete().reason == .completed)
    }
}

/// An honest host that runs while a hostile client attacks.
struct HonestHost: Sendable {
    let host: AnnexHost
    private let app: SubstituteApp

    init(_ daemon: TestDaemon) throws {
        app = try SubstituteApp(running: "works-on")
        host = try AnnexHost.connectAndWait(to: daemon.socket, patience: .patience)
        try host.installAndWait(app: app.path)
    }

    func begin() async throws -> ExtensionSession { try await host.begin(SubstituteApp.identifier) }

    func text(_ session: ExtensionSession, _ words: String) async throws -> String? {
        try await session.request([ExtensionItem(contentText: words)]).first?.contentText
    }

    /// Checks a whole session, from the launch to the end.
    func works() async throws {
        let session = try await begin()
        #expect(try await text(session, "looks 1") == "looked")
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    /// Checks a whole session after a client of the same user has left. That client's requests count as the user's
    /// until the daemon has dropped each of them, so the user may be at the limit for a moment.
    func worksOnceRequestsEnd() async throws {
        while true {
            do {
                return try await works()
            } catch let error as BrokerError where error.code == .overQuota {
                await Task.yield()
            } catch HostError.rejected(let error) where error.code == .overQuota {
                // The session had begun before the user met the limit.
                await Task.yield()
            }
        }
    }
}
