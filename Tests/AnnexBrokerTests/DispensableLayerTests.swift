import AnnexBrokerAPI
import AnnexPolicy
import Testing

@testable import AnnexBroker

@Suite struct DispensableLayerTests {
    @Test func `hosts and policies name the layers by the same words`() {
        #expect(DispensableLayer.allCases.map(\.rawValue) == SandboxLayer.allCases.map(\.rawValue))
        #expect(DispensableLayer.allCases.compactMap { SandboxLayer($0) } == SandboxLayer.allCases)
    }
}
