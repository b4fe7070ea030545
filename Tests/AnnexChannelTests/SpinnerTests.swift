import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexChannel

/// Like a thread, a task learns how long it should poll before it suspends.
@Suite(.timeLimit(.minutes(20))) struct SpinnerTests {
    private func budget(_ host: HostEndpoint) -> UInt32 { host.leader.receiving.withLock { $0.spinner.budget } }

    @Test(arguments: [true, false])
    func `tasks that poll in vain poll for less and less time`(_ isBare: Bool) async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                usleep(1000)  // the subject: an answer that takes longer than polling is worth
                try request.reply()
            }
        }
        _ = try await host.untilHello()
        #expect(budget(host) == Spinner.most)
        for _ in 0..<40 {
            let accepts = isBare ? .none : DescriptorAllowance(pieces: 1, bytes: 1)
            _ = try await host.call(Request(method: 1, accepts: accepts))
        }
        #expect(budget(host) <= Spinner.most / 4)
        host.finish(thread)
    }

    @Test func `tasks poll for less time if an extension never answers`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        for _ in 0..<20 {
            _ = try? await channel.host.call(Request(method: 1), timeout: .milliseconds(2))
        }
        #expect(budget(channel.host) <= Spinner.most / 4)
    }
}
