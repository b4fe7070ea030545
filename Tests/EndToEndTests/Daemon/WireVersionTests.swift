import AnnexBrokerAPI
import AnnexTestSupport
import Foundation
import Testing

/// Host and daemon may be built from different sources. Each names the versions that it supports.
@Suite(.timeLimit(.minutes(20))) struct WireVersionTests {
    private static let own = ServiceWire.versions

    /// The daemon's answer to a hello: the version, or the reason why there is none.
    private func answer(_ daemon: TestDaemon, to versions: ClosedRange<UInt64>) async throws -> String {
        let client = try await RawClient(daemon.socket, hello: false)
        try await client.send(.hello(versions: versions))
        switch try await client.next() {
        case .welcome(let version, _)?: return "\(version)"
        case .rejected(let error)?: return error.what
        default: return "nothing"
        }
    }

    @Test func `host and daemon use the highest version that both speak`() async throws {
        let daemon = try await TestDaemon()
        for versions in [Self.own, 1...UInt64.max, Self.own.upperBound...Self.own.upperBound + 5] {
            #expect(try await answer(daemon, to: versions) == "\(Self.own.upperBound)")
        }
        let oldest = Self.own.lowerBound
        #expect(try await answer(daemon, to: 1...oldest) == "\(oldest)")
    }

    @Test func `peers without a common version are given both ranges`() async throws {
        let daemon = try await TestDaemon()
        for versions in [1...Self.own.lowerBound - 1, Self.own.upperBound + 1...UInt64.max] {
            let words = try await answer(daemon, to: versions)
            #expect(words.contains("wire versions \(versions.lowerBound) to \(versions.upperBound)"), "\(words)")
            #expect(words.contains("this daemon \(Self.own.lowerBound) to \(Self.own.upperBound)"), "\(words)")
        }
    }

    @Test func `a hello of the last version names that version alone`() async throws {
        let daemon = try await TestDaemon()
        let client = try await RawClient(daemon.socket, hello: false)
        // The bytes mean kind 1 and number 3. They are the whole hello of a host of version 3.
        try await client.send([1, 0, 1, 0, 0, 0, 1, 2, 0, 8, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0])
        guard case .welcome(3, 0)? = try await client.next() else {
            Issue.record("not welcomed as version 3")
            return
        }
    }
}
