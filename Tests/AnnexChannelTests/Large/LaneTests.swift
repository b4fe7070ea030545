import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexChannel

/// A large message never delays a short one. The tests check this only by the order of frames.
@Suite(.timeLimit(.minutes(20))) struct LaneTests {
    /// The kinds of a host's frames from the start of the ring. Each frame takes one line, which is 64 bytes.
    private func kinds(_ peer: RawPeer, _ count: Int) -> [UInt8] {
        (0..<count).map { peer.host.start.load(fromByteOffset: RegionLayout.ring + $0 * 64, as: UInt8.self) }
    }

    @Test func `a cancel behind 64 MiB waits for no more than the pieces of one arena`() async throws {
        let channel = try HostileLargeTests.channel { $0.largestMessage = 64 << 20 }
        let (host, peer) = (channel.host, channel.peer)
        var writer = RawWriter(peer)
        writer.send(HostileLargeTests.hello)
        _ = try await host.untilHello()
        let small = try await host.start(Request(method: 1))
        let bulk = ExtensionThread(raw: {
            _ = #expect(throws: CallFailure.ended(reason: "over")) {
                try ask(host, 1, [UInt8](repeating: 1, count: 64 << 20), room: 8)
            }
        })
        // The peer reads nothing, so the transfer stops when its arena is full.
        while peer.load(host: RegionLayout.ring + 5 * 64) == 0 { sched_yield() }
        small.cancel()
        let next = try await host.start(Request(method: 2))
        #expect(kinds(peer, 9) == [2, 14, 15, 15, 15, 15, 5, 2, 0])
        host.end(with: "over")
        bulk.join()
        await #expect(throws: CallFailure.self) { try await next.value() }
    }

    @Test func `a cancel that waited for room is sent though the request behind it fails`() async throws {
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        // The peer does not read the control socket, so the socket becomes full.
        while (try? host.leader.control.socket.send([1])) != nil {}
        host.sender.half.withLock { $0.cancels.append(1) }
        var request: Request? = Request(method: 1, granting: Grants(try ReadOnlyFile(path: "/proc/self/exe")))
        #expect(throws: CallFailure.noRoom) { _ = try host.callAndWait(request.take() ?? Request(method: 2)) }
        #expect(kinds(channel.peer, 2) == [5, 0])
        let isUntold = host.sender.half.withLock { $0.writer.publish() != nil }
        #expect(!isUntold)
    }

    @Test(arguments: [4096, 65536] as [UInt32])
    func `unread streams and pieces leave room for a call and its cancel`(_ capacity: UInt32) async throws {
        let channel = try HostileLargeTests.channel {
            $0.hostCapacity = capacity
            $0.hostArena = WireFormat.mostPlaces * WireFormat.pieceSize
        }
        let host = channel.host
        var writer = RawWriter(channel.peer)
        writer.send(HostileLargeTests.hello)
        _ = try await host.untilHello()
        let message = [UInt8](repeating: 1, count: Int(capacity / 16))
        while sends(host, FrameHeader(kind: .data, call: 3), message) {}
        let transfer = LargeTransfer()
        let bulk = [UInt8](repeating: 1, count: 8 << 20)
        #expect(!sends(host, FrameHeader(kind: .event), bulk, transfer))
        #expect(sends(host, FrameHeader(kind: .request, call: 1), message))
        #expect(sends(host, FrameHeader(kind: .cancel, call: 1), []))
    }

    /// Whether the frame can be sent at once, although the peer reads nothing.
    private func sends(
        _ host: HostEndpoint, _ header: FrameHeader, _ payload: [UInt8], _ transfer: LargeTransfer? = nil
    ) -> Bool {
        guard case .sent = host.sender.attempt(OutgoingFrame(header: header, payload: payload, transfer: transfer))
        else {
            return false
        }
        return true
    }

    @Test func `short answers pass between the pieces of a large answer`() async throws {
        let channel = try HostileLargeTests.channel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let large = try await channel.host.start(Request(method: 1, mostReply: .max))
        let small = try await channel.host.start(Request(method: 1))
        writer.send(HostileLargeTests.large(UInt32(2 * HostileLargeTests.piece), call: large.id))
        writer.send(HostileLargeTests.piece(0, call: large.id))
        writer.send(RawPeer.frame(3, [4], method: 1, call: small.id))
        #expect(try await small.value().payload == [4])
        #expect(!large.isDone)
        writer.send(HostileLargeTests.piece(0, call: large.id))
        #expect(try await large.value().payload.count == 2 * HostileLargeTests.piece)
    }
}
