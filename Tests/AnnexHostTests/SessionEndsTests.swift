import AnnexModel
import Testing

@testable import AnnexHost

/// The session ends that a host observes.
@Suite(.timeLimit(.minutes(20))) struct SessionEndsTests {
    @Test func `each follower gets the ends of all sessions and of copies of the host`() async throws {
        let host = AnnexHost(service: LoneService())
        var copy = host
        copy.languages = ["de"]
        var (first, second) = (host.ends.makeAsyncIterator(), copy.ends.makeAsyncIterator())
        for (number, host) in [host, copy, host].enumerated() {
            let session = try await host.begin("lone\(number)")
            _ = number == 1 ? await session.cancel() : await session.complete()
        }
        for expected in ["lone0 completed", "lone1 cancelled", "lone2 completed"] {
            for end in [await first.next(), await second.next()] {
                #expect(end.map { "\($0.identifier) \($0.termination.reason.rawValue)" } == expected)
            }
        }
    }

    @Test func `of many ends the last 256 are kept and the sequence ends with the host`() async throws {
        let ends: SessionEnds
        do {
            let host = AnnexHost(service: LoneService())
            ends = host.ends
            for number in 0..<300 { _ = try await host.begin("lone\(number)").complete() }
        }
        var heard: [String] = []
        for await end in ends { heard.append(end.identifier) }
        #expect(heard == (44..<300).map { "lone\($0)" })
    }

    @Test func `a task that waits for an end is cancelled without one`() async throws {
        let session = try await AnnexHost(service: LoneService()).begin("lone")
        let waiting = Task { await session.untilEnd() }
        waiting.cancel()
        #expect(await waiting.value == nil)
        #expect(session.termination == nil)
        let other = Task { await session.untilEnd() }
        let end = await session.complete()
        #expect(await other.value == end)
    }
}
