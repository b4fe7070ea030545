import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// How much of an answer a host takes is what its caller says, not what the extension sends.
@Suite(.timeLimit(.minutes(20))) struct ReplyLimitTests {
    private static let frame = 32_768

    /// An extension that answers with as many bytes as it is told, and what it is asked comes to.
    private func answers(
        of bytes: Int, _ body: (HostEndpoint) async throws -> Void
    ) async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { try $0.reply([UInt8](repeating: 3, count: bytes)) }
        }
        _ = try await ends.host.untilHello()
        try await body(ends.host)
        ends.host.finish(thread)
    }

    @Test("a request takes one frame unless it asks for more")
    func frames() async throws {
        let size = Self.frame + 1
        try await answers(of: size) { host in
            let refusal = CallFailure.payloadTooLarge(bytes: size, most: Self.frame)
            await #expect(throws: refusal) { _ = try await host.call(Request(method: 1)) }
            await #expect(throws: refusal) { _ = try await host.call(Request(method: 1), timeout: .patience) }
            await #expect(throws: CallFailure.payloadTooLarge(bytes: size, most: 32_768)) {
                _ = try await host.call(Request(method: 1, mostReply: 10))
            }
            let count = try await host.call(Request(method: 1, mostReply: size)).payload.count
            #expect(count == size)
        }
        try await answers(of: Self.frame) { host in
            let count = try await host.call(Request(method: 1)).payload.count
            #expect(count == Self.frame)
        }
    }

    @Test("what is refused leaves the channel as it was", arguments: [100_000, 1_000_000])
    func goesOn(_ size: Int) async throws {
        try await answers(of: size) { host in
            for _ in 0..<20 {
                await #expect(throws: CallFailure.payloadTooLarge(bytes: size, most: size - 1)) {
                    _ = try await host.call(Request(method: 1, mostReply: size - 1))
                }
                let count = try await host.call(Request(method: 1, mostReply: size)).payload.count
                #expect(count == size)
            }
            #expect(host.counters.lateReplies == 0)
        }
    }

    @Test("a typed call takes no more than a message may be")
    func typed() async throws {
        let size = MessageLimits.standard.bytes + 1
        try await answers(of: size) { host in
            await #expect(throws: CallFailure.payloadTooLarge(bytes: size, most: size - 1)) {
                _ = try await host.call(Resize(width: 1))
            }
            let caller = ExtensionThread(raw: {
                #expect(throws: CallFailure.payloadTooLarge(bytes: size, most: size - 1)) {
                    _ = try host.callAndWait(Resize(width: 1))
                }
            })
            caller.join()
        }
    }

    @Test("BOMB-09: an answer that is too large is refused before its first byte")
    func beforeTheFirstByte() async throws {
        let channel = try HostileLargeTests.channel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1, mostReply: 50_000))
        writer.send(HostileLargeTests.large(16 << 20))
        await #expect(throws: CallFailure.payloadTooLarge(bytes: 16 << 20, most: 50_000)) { _ = try await call.value() }
    }

    @Test("BOMB-08: large answers to calls that are over cost their bytes before they come")
    func late() async throws {
        let channel = try HostileLargeTests.channel {
            $0.bytesPerSecond = 1 << 20
            $0.budgetPeriod = .patience
        }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1))
        writer.send(RawPeer.frame(3, method: 1, call: 1))
        _ = try await call.value()
        for _ in 0..<3 {
            writer.send(HostileLargeTests.large(400_000))
            for piece in 0..<7 as Range<UInt16> { writer.send(HostileLargeTests.piece(piece % 4)) }
        }
        #expect(await channel.violation() == .messageBudget(.bytes, limit: 1 << 20))
    }

    @Test("the answer to a call that its host gave up is free, however large")
    func givenUp() async throws {
        let channel = try HostileLargeTests.channel {
            $0.bytesPerSecond = 1 << 20
            $0.framesPerSecond = 1
            $0.budgetPeriod = .patience
        }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1))
        call.cancel()
        writer.send(HostileLargeTests.large(2 << 20))
        for piece in 0..<32 as Range<UInt16> { writer.send(HostileLargeTests.piece(piece % 4)) }
        let next = try await channel.host.start(Request(method: 1))
        writer.send(RawPeer.frame(3, [6], method: 1, call: 2))
        #expect(try await next.value().payload == [6])
    }
}
