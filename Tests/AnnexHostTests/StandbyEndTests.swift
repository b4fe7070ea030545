import AnnexTestSupport
import Testing

@testable import AnnexHost

/// An extension ends at the moment at which the host parks it. The pool must notice this end too.
@Suite(.timeLimit(.minutes(20))) struct StandbyEndTests {
    @Test func `an extension that ends while first parked is replaced`() async throws {
        let service = LoneService(endsParked: true)
        let standby = try await AnnexHost(service: service).standby(for: "lone", keeping: 1...1)
        await eventually { service.launches >= 3 }
        await eventually { standby.count == 0 }
    }

    @Test func `an extension that ends while parked again is not kept`() async throws {
        let service = LoneService(endsParked: true)
        let standby = try await AnnexHost(service: service).standby(for: "lone", keeping: 0...1)
        #expect(standby.popAny() == nil)
        standby.finish(try await standby.launch())
        await eventually { standby.count == 0 }
    }
}
