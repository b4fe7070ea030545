import AnnexChannel
import Testing

@testable import AnnexBroker
@testable import AnnexPolicy

@Suite struct ChannelLimitsTests {
    private func limits(
        messages: Int = 1000, inFlight: UInt64, openCalls: Int = 64, request: Duration = .seconds(10)
    ) -> PolicyLimits {
        PolicyLimits(
            memory: 64 << 20, launch: .seconds(1), request: request, watchdog: .seconds(5), grace: .zero,
            processor: .seconds(60), processes: 1, descriptors: 32, file: 1 << 20, output: 1 << 16, messages: messages,
            inFlight: inFlight,
            openCalls: openCalls, denials: 100, instances: 4, keepAlive: .zero)
    }

    @Test func `a channel gets the limits of its policy`() {
        let configuration = ChannelConfiguration(limits(messages: 7, inFlight: 20 << 10, openCalls: 3))
        #expect(configuration.framesPerSecond == 7)
        #expect(configuration.controlMessagesPerSecond == 7)
        #expect(configuration.mostOpenCalls == 3)
        #expect(configuration.hostCapacity == 8192)
        #expect(configuration.extensionCapacity == 8192)
    }

    @Test(arguments: [1 << 20, 2 << 20, 3_000_000, 4 << 20, 8 << 20, 64 << 20] as [UInt64])
    func `rings, arenas and one large answer stay within the bytes in flight`(_ bytes: UInt64) {
        let configuration = ChannelConfiguration(limits(inFlight: bytes))
        let shared =
            UInt64(configuration.hostCapacity) + UInt64(configuration.extensionCapacity)
            + UInt64(configuration.hostArena) + UInt64(configuration.extensionArena)
        #expect(shared + UInt64(configuration.largestMessage) <= bytes)
        #expect(configuration.hostArena % 65_536 == 0 && configuration.hostArena > 0)
        #expect(UInt64(configuration.largestMessage) >= min(bytes / 2, 16 << 20), "most of it is for messages")
    }

    @Test func `a channel without room for an arena carries only frames`() {
        let configuration = ChannelConfiguration(limits(inFlight: 200 << 10))
        #expect(configuration.hostArena == 0 && configuration.extensionArena == 0)
        #expect(configuration.largestMessage == 0)
    }

    @Test func `answers may stay unread as long as a request may take`() {
        #expect(ChannelConfiguration(limits(inFlight: 1 << 20)).unreadLimit == .seconds(60))
        #expect(ChannelConfiguration(limits(inFlight: 1 << 20, request: .seconds(600))).unreadLimit == .seconds(600))
    }

    @Test func `a channel has at least a working size and at most the usual one`() {
        #expect(ChannelConfiguration(limits(inFlight: 1)).hostCapacity == 4096)
        #expect(ChannelConfiguration(limits(inFlight: 64 << 20)).hostCapacity == 65536)
    }
}
