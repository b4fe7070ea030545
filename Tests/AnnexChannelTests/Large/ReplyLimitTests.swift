import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// The caller, and not the extension, decides the largest answer that the host accepts.
@Suite(.timeLimit(.minutes(20))) struct ReplyLimitTests {
    private static let frame = 32_768

    /// Runs a body with an extension that answers with a fixed number of bytes.
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

    @Test func `a request takes an answer of one frame unless it asks for more`() async throws {
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

    @Test(arguments: [100_000, 1_000_000])
    func `an answer that is refused for its size leaves the channel usable`(_ size: Int) async throws {
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

    @Test func `a typed call takes an answer only up to the limit of a message`() async throws {
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

    @Test func `BOMB-09: an answer that is too large is refused before its first byte`() async throws {
        let channel = try HostileLargeTests.channel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1, mostReply: 50_000))
        writer.send(HostileLargeTests.large(16 << 20))
        await #expect(throws: CallFailure.payloadTooLarge(bytes: 16 << 20, most: 50_000)) { _ = try await call.value() }
    }

    @Test func `BOMB-08: large answers to calls that are over cost their bytes before they come`() async throws {
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

    @Test func `an answer to a call that the host gave up is free however large`() async throws {
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
