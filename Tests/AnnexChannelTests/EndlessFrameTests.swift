import AnnexLinux
import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// A peer fills the whole ring with frames that count against no budget, so the ring never becomes empty. A waiting
/// caller must still check the clock and the end of the channel.
@Suite(.timeLimit(.minutes(20))) struct EndlessFrameTests {
    /// A channel whose ring repeats one frame without end. The frame says that a stream is over, but the host has
    /// already dropped that stream.
    private func endless(_ change: (inout ChannelConfiguration) -> Void) async throws -> HostileChannel {
        let channel = try HostileChannel(change)
        let stream = try channel.host.openStream(1, window: 1 << 28)
        stream.cancel()
        let frame = RawPeer.frame(12, call: stream.id)
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        for place in 1...1024 { channel.peer.write(frame, at: UInt32(place) * 64) }
        return channel
    }

    @Test func `BOMB-08: a raw call ends at its deadline while frames never end`() async throws {
        let channel = try await endless { $0.bytesPerSecond = .max }
        #expect(throws: CallFailure.deadlineExceeded) {
            try ask(channel.host, 1, [1], timeout: .milliseconds(50))
        }
    }

    @Test func `BOMB-08: a call of a task ends at its deadline while frames never end`() async throws {
        let channel = try await endless { $0.bytesPerSecond = .max }
        await #expect(throws: CallFailure.deadlineExceeded) {
            try await channel.host.call(Resize(width: 1), timeout: .milliseconds(50))
        }
    }

    @Test func `LIFE-05: a host can end a channel while frames never end`() async throws {
        let channel = try await endless { $0.bytesPerSecond = .max }
        let host = channel.host
        let caller = ExtensionThread(raw: {
            #expect(throws: CallFailure.ended(reason: "over")) { try ask(host, 1, [1]) }
        })
        while host.counters.framesReceived < 1 << 16 { Processor.yield() }
        host.end(with: "over")
        caller.join()
    }

    @Test func `BOMB-08: frames of streams that the host let go of cost bytes`() async throws {
        let channel = try await endless {
            $0.bytesPerSecond = 1 << 16
            $0.budgetPeriod = .patience
        }
        try channel.peer.control.send(WireFormat.doorbell)
        #expect(await channel.violation() == .messageBudget(.bytes, limit: 1 << 16))
        #expect(channel.host.counters.framesReceived < 1 << 13)
    }
}
