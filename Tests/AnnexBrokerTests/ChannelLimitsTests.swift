import AnnexChannel
import Testing

@testable import AnnexBroker
@testable import AnnexPolicy

@Suite struct ChannelLimitsTests {
    private func limits(messages: Int = 1000, inFlight: UInt64, openCalls: Int = 64) -> PolicyLimits {
        PolicyLimits(
            memory: 64 << 20, launch: .seconds(1), request: .seconds(10), watchdog: .seconds(5), grace: .zero,
            processor: .seconds(60), processes: 1, descriptors: 32, file: 1 << 20, output: 1 << 16, messages: messages,
            inFlight: inFlight,
            openCalls: openCalls, refusals: 100, instances: 4, keepAlive: .zero)
    }

    @Test func `what a policy allows a channel is what the channel gets`() {
        let configuration = ChannelConfiguration(limits(messages: 7, inFlight: 20 << 10, openCalls: 3))
        #expect(configuration.framesPerSecond == 7)
        #expect(configuration.controlMessagesPerSecond == 7)
        #expect(configuration.mostOpenCalls == 3)
        #expect(configuration.hostCapacity == 8192)
        #expect(configuration.extensionCapacity == 8192)
    }

    @Test func noChannelIsSmallerThanWorksOrLargerThanUsual() {
        #expect(ChannelConfiguration(limits(inFlight: 1)).hostCapacity == 4096)
        #expect(ChannelConfiguration(limits(inFlight: 64 << 20)).hostCapacity == 65536)
    }
}
