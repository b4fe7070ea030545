import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct CounterTests {
    @Test func `a reader outside the channel sees its counters while it works`() throws {
        var configuration = ChannelConfiguration.patient
        configuration.label = "com.example.counted \(UInt64.random(in: 0 ... .max))"
        let ends = try HostEndpoint.make(configuration: configuration)
        let host = ends.host
        let thread = ExtensionThread.echoing(ends.descriptors)
        for _ in 0..<100 { _ = try host.callAndWait(Request(method: 1, payload: [1, 2, 3]), timeout: .patience) }
        let seen = try ChannelSnapshot.all(of: getpid()).first { $0.label == configuration.label }
        let counters = try #require(seen).counters
        #expect(counters.framesSent == 100 && counters.bytesSent == 300)
        #expect(counters.framesReceived == 101 && counters.bytesReceived == 316, "a hello of 16 bytes besides")
        // Between the two reads, the doorbell of the hello may be answered.
        #expect(counters.withoutDoorbells == host.counters.withoutDoorbells)
        #expect(seen?.openedAt ?? 0 > 0)
        host.finish(thread)
    }

    @Test func `a channel that has ended leaves its slot in the counters to another`() async throws {
        let label = "com.example.gone \(UInt64.random(in: 0 ... .max))"
        var numbers: Set<UInt64> = []
        for _ in 0..<5000 {
            var configuration = ChannelConfiguration.patient
            configuration.label = label
            configuration.hostCapacity = 4096
            configuration.extensionCapacity = 4096
            let ends = try HostEndpoint.make(configuration: configuration)
            guard numbers.isEmpty else { continue }
            let seen = try ChannelSnapshot.all(of: getpid()).filter { $0.label == label }
            #expect(seen.count == 1)
            numbers.formUnion(seen.map(\.number))
            _ = ends.host.counters
        }
        // The event loop may hold the last channel for a short time, because the loop handles the channel's end.
        await eventually { (try? ChannelSnapshot.all(of: getpid()).allSatisfy { $0.label != label }) == true }
    }

    /// This test runs in a separate process. In that process, a descriptor number below the number of the counters is
    /// free.
    @Test func `a process finds its own counters while other processes read theirs`() async {
        await #expect(processExitsWith: .success) { try CounterTests.readOwn() }
    }

    private static func readOwn() throws {
        let lower = open("/dev/null", O_RDONLY)
        let ends = try HostEndpoint.make(configuration: .patient)
        close(lower)
        guard let number = try OpenDescriptors.numbers(naming: "annex-counters").first else { exit(2) }
        let isOver = Flag()
        let other = ExtensionThread(raw: {
            while !isOver.isSet { close(dup(number)) }
        })
        for _ in 0..<300 where (try? ChannelSnapshot.all(of: getpid()))?.count != 1 { exit(3) }
        isOver.set()
        other.join()
        _ = consume ends
    }

    @Test func `the counters of a process that does not exist cannot be read`() throws {
        #expect(throws: (any Error).self) { try ChannelSnapshot.all(of: -1) }
    }
}

extension ChannelCounters {
    fileprivate var withoutDoorbells: ChannelCounters {
        var counters = self
        counters.doorbells = 0
        return counters
    }
}
