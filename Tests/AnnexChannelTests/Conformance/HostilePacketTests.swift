import AnnexLinux
import Testing

@testable import AnnexChannel

/// A peer on a socket breaks one rule of packets. Other tests check the rules of frames, over a ring.
@Suite(.timeLimit(.minutes(20))) struct HostilePacketTests {
    private func violation(after packets: [[UInt8]]) async throws -> ChannelViolation? {
        let (violations, report) = AsyncStream.makeStream(of: ChannelViolation.self)
        var handlers = ChannelHandlers()
        handlers.onViolation = { report.yield($0) }
        let ends = try HostEndpoint.makeOverSocket(configuration: .patient, handlers: handlers)
        let peer = PacketPeer(try ends.socket.duplicate())
        peer.sendHello()
        for packet in packets { peer.send(packet) }
        var iterator = violations.makeAsyncIterator()
        let found = await iterator.next()
        ends.host.end(with: "the test is over")
        return found
    }

    @Test(arguments: [1, 8, 15])
    func `IPC-05: packets too short for a frame are refused`(_ length: Int) async throws {
        let found = try await violation(after: [[UInt8](repeating: 6, count: length)])
        #expect(found == .malformed(kind: 6, length: length))
    }

    @Test(arguments: [0, 5, 7, .max] as [UInt32])
    func `BOMB-09: a length field that differs from the length of its packet is refused`(_ length: UInt32) async throws
    {
        let packet = [6, 0, 4, 0] + WireBytes.bytes(length) + [UInt8](repeating: 0, count: 8 + 6)
        #expect(try await violation(after: [packet]) == .malformed(kind: 6, length: packet.count))
    }

    @Test func `BOMB-09: a packet longer than a frame may be is refused for its length`() async throws {
        let length = 32_769
        let packet = [6, 0, 4, 0] + WireBytes.bytes(UInt32(length)) + [UInt8](repeating: 0, count: 8 + length)
        #expect(try await violation(after: [packet]) == .length(UInt64(packet.count), room: 32_768))
    }

    @Test func `IPC-08: the rules of frames hold as they do in a ring`() async throws {
        let answer = [3, 0, 0, 0, 0, 0, 0, 0] + WireBytes.bytes(UInt64(77))
        #expect(try await violation(after: [answer]) == .unknownCall(77))
        #expect(try await violation(after: [[99] + [UInt8](repeating: 0, count: 15)]) == .unknownKind(99))
    }

    @Test func `FD-03: the host never takes descriptors that come with a packet`() async throws {
        let found = try await violation(after: [[6, 1, 4, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)])
        #expect(found == .malformed(kind: 6, length: 16))
    }

    @Test func `FD-03: packets hand over no descriptors in either direction`() async throws {
        let ends = try HostEndpoint.makeOverSocket(configuration: .patient)
        let host = ends.host
        let peer = PacketPeer(try ends.socket.duplicate())
        peer.sendHello()
        await #expect(throws: CallFailure.tooManyDescriptors(count: 1, most: 0)) {
            let memory = DescriptorList(try Descriptor.memfd("annex-over-socket", size: 1))
            _ = try await host.start(Request(method: 1, descriptors: memory))
        }
        let request = Request(method: 1, payload: [9], accepts: DescriptorAllowance(pieces: 3, bytes: 1000))
        let call = try await host.start(request)
        let packet = peer.receive() ?? []
        #expect(Array(packet.dropFirst(24)) == [UInt8](repeating: 0, count: 16) + [9])
        call.cancel()
        host.end(with: "the test is over")
    }

    @Test func `LIFE-05: a socket that closes ends the calls that wait`() async throws {
        let (closed, report) = AsyncStream.makeStream(of: Void.self)
        var handlers = ChannelHandlers()
        handlers.onPeerClosed = { report.yield() }
        let ends = try HostEndpoint.makeOverSocket(configuration: .patient, handlers: handlers)
        let host = ends.host
        let call = try await host.start(Request(method: 1))
        do {
            let socket = ends.socket
            _ = consume socket
        }
        await #expect(throws: CallFailure.ended(reason: "its end of the socket is closed")) {
            _ = try await call.value()
        }
        var iterator = closed.makeAsyncIterator()
        await iterator.next()
    }

    @Test func `a socket that closes is reported as the end of the peer`() async throws {
        let (closed, report) = AsyncStream.makeStream(of: Void.self)
        var handlers = ChannelHandlers()
        handlers.onPeerClosed = { report.yield() }
        let ends = try HostEndpoint.makeOverSocket(configuration: .patient, handlers: handlers)
        let host = ends.host
        do {
            let socket = ends.socket
            _ = consume socket
        }
        var iterator = closed.makeAsyncIterator()
        await iterator.next()
        host.end(with: "the test is over")
    }
}
