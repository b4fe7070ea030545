import AnnexLinux
import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// A leader that takes descriptors reads the control socket. The leader may read a doorbell there before the event
/// loop's thread sees it. The extension rings only once for each request for a doorbell. So in this case, the host
/// must request a new doorbell.
@Suite(.timeLimit(.minutes(20))) struct DrainedDoorbellTests {
    /// The end of the call whose answer brings the descriptors.
    enum End: String, CaseIterable {
        case answered, cancelled, tooLarge
    }

    private static let allowance = DescriptorAllowance(pieces: 1, bytes: 100)

    @Test(arguments: End.allCases)
    func `a leader that reads a doorbell with descriptors requests another doorbell`(_ end: End) async throws {
        let channel = try HostileChannel()
        let (host, peer) = (channel.host, channel.peer)
        var writer = RawWriter(peer)
        try await channel.greet(&writer)
        let first = try await host.start(Request(method: 1))
        let second = try await host.start(Request(method: 1, accepts: Self.allowance))
        // The kernel lets descriptors pass only while an open call accepts some.
        let third = try await host.start(Request(method: 1, accepts: Self.allowance))
        if end == .cancelled { second.cancel() }
        let mayGoOn = try channel.occupyLoop()
        defer {
            mayGoOn.open()
            withExtendedLifetime(channel) {}
        }
        let request = peer.load(host: RegionLayout.receiver)
        #expect(ReceiverState.isDoorbell(request))
        try peer.control.send(WireFormat.doorbell)
        let memory = DescriptorList(try SealedMemory(copying: [1]).takeDescriptor())
        try peer.control.send(DescriptorTag(call: second.id, count: 1).encoded(), memory)
        // All answers are in the ring before the thread looks for its own answer. So the thread reads all of them as
        // the leader and does not sleep.
        let answers =
            RawPeer.frame(3, [1], method: 1, call: first.id) + answer(to: second, end)
            + RawPeer.frame(3, [3], method: 1, call: 1 << 63 | 1)
        peer.show(answers, at: writer.position)
        writer.position &+= UInt32(answers.count)
        #expect(try ask(host, 1, []) == [3])
        let next = peer.load(host: RegionLayout.receiver)
        mayGoOn.open()
        // If the host had not made a new request for a doorbell, an extension would not ring again. Then the third
        // call would wait for ever.
        try #require(ReceiverState.isDoorbell(next) && next != request)
        writer.send(RawPeer.frame(3, [4], method: 1, call: third.id))
        #expect(try await third.value().payload == [4])
        #expect(try await first.value().payload == [1])
        switch end {
        case .answered: #expect(try await second.value().sealed.count == 1)
        case .cancelled: await #expect(throws: CallFailure.cancelled) { _ = try await second.value() }
        case .tooLarge:
            await #expect(throws: CallFailure.payloadTooLarge(bytes: 40_000, most: host.state.largestReplyFrame)) {
                _ = try await second.value()
            }
        }
    }

    /// The frames of an answer with one descriptor.
    private func answer(to call: ChannelCall, _ end: End) -> [UInt8] {
        guard end == .tooLarge else { return RawPeer.frame(3, [2], descriptors: 1, method: 1, call: call.id) }
        let length = WireBytes.bytes(UInt32(40_000)) + WireBytes.bytes(UInt32(FrameKind.reply.rawValue))
        return RawPeer.frame(14, length, descriptors: 1, method: 1, call: call.id)
            + HostileLargeTests.piece(0, call: call.id)
    }
}
