import Testing

@testable import AnnexTelemetry

@Suite struct SeriesTests {
    @Test func `extensions beyond a fixed number share one series`() {
        let telemetry = Telemetry()
        let names = (0..<Telemetry.mostExtensions).map { "com.example.app\($0)" }
        #expect(names.allSatisfy { telemetry.label($0) == $0 })
        #expect(telemetry.label("com.example.late") == "other" && telemetry.label("com.example.later") == "other")
        // An extension that has a series keeps it.
        #expect(telemetry.label(names[0]) == names[0])
    }
}
