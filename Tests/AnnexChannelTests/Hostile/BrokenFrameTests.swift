import AnnexLinux
import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// Frames in which exactly one thing is wrong.
@Suite(.timeLimit(.minutes(20))) struct BrokenFrameTests {
    private static let said =
        WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version) + WireBytes.bytes(UInt64(0))

    @Test(
        arguments: [
            (RawPeer.frame(1, said, method: 1), .malformedHello(length: 16)),
            (RawPeer.frame(1, [0] + said.dropFirst()), .malformedHello(length: 16)),
            (RawPeer.frame(1, said, call: 1), .malformed(kind: 1, length: 16)),
            (RawPeer.frame(1, said, descriptors: 1), .malformed(kind: 1, length: 16)),
        ] as [([UInt8], ChannelViolation)])
    func `START-05: a hello has no method, call or descriptors and begins with its mark`(
        _ frame: [UInt8], _ expected: ChannelViolation
    ) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.send(frame)
        #expect(await channel.violation() == expected)
    }

    @Test(
        arguments: [
            (RawPeer.frame(6, [1], call: 1), .malformed(kind: 6, length: 1)),
            (RawPeer.frame(6, [1], descriptors: 1), .malformed(kind: 6, length: 1)),
            (RawPeer.frame(4, [1, 0, 0, 0], descriptors: 1, method: 1, call: 1), .malformed(kind: 4, length: 4)),
        ] as [([UInt8], ChannelViolation)])
    func `IPC-08: events belong to no call, and events and failures bring no descriptors`(
        _ frame: [UInt8], _ expected: ChannelViolation
    ) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await channel.host.start(Request(method: 1))
        writer.send(frame)
        #expect(await channel.violation() == expected)
        await #expect(throws: CallFailure.violated(expected)) { _ = try await call.value() }
    }

    @Test(
        arguments: [
            (RawPeer.frame(3, call: 1), .unexpectedKind(3)),
            (RawPeer.frame(4, [1, 0, 0, 0], call: 1), .unexpectedKind(4)),
            (RawPeer.frame(14, [10, 0, 0, 0, 3, 0, 0, 0], call: 1), .unexpectedKind(14)),
            (RawPeer.frame(8, descriptors: 1, call: 1), .malformed(kind: 8, length: 0)),
        ] as [([UInt8], ChannelViolation)])
    func `IPC-08: only a pong without descriptors answers a ping`(_ frame: [UInt8], _ expected: ChannelViolation)
        async throws
    {
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let caller = ExtensionThread(raw: {
            #expect(throws: CallFailure.violated(expected)) { try host.pingAndWait(timeout: .patience) }
        })
        while channel.peer.load(host: RegionLayout.ring) == 0 { await Task.yield() }
        writer.send(frame)
        #expect(await channel.violation() == expected)
        caller.join()
    }
}
