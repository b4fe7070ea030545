import AnnexTestSupport
import Testing

@testable import AnnexHost

/// Ends that come in the one moment in which nobody is parked yet and nobody is missed.
@Suite(.timeLimit(.minutes(20))) struct StandbyEndTests {
    @Test func `one that ends while it is parked for the first time is not kept, and another is launched`() async throws
    {
        let service = LoneService(endsParked: true)
        let standby = try AnnexHost(service: service).standby(for: "lone", keeping: 1...1)
        await eventually { service.launches >= 3 }
        await eventually { standby.count == 0 }
    }

    @Test func `one that ends while it is parked again is not kept`() async throws {
        let service = LoneService(endsParked: true)
        let standby = try AnnexHost(service: service).standby(for: "lone", keeping: 0...1)
        #expect(standby.takeAny() == nil)
        standby.finish(try await standby.launch())
        await eventually { standby.count == 0 }
    }
}
