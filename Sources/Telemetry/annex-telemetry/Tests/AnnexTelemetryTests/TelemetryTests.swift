import AnnexHost
import AnnexTelemetry
import AnnexTesting
import CoreMetrics
import Foundation
import InMemoryTracing
import MetricsTestKit
import Testing
import Tracing

/// Metrics and traces of a host. The test runs in a separate process, because a program can bootstrap both only once.
@Suite(.timeLimit(.minutes(20))) struct TelemetryTests {
    private static let identifier = "com.example.shout.loud"

    /// The example Shout with the program of these tests.
    private static func app() throws -> TestApp {
        let root = URL(filePath: #filePath).pathComponents.dropLast(6).joined(separator: "/")
        let program = "answers-or-exits"
        return try TestApp(
            layout: root + "/Examples/Shout/Shout.app", files: ["Shout.app": program, "Loud.appex": program])
    }

    @Test func `sessions and requests are counted, timed and traced`() async throws {
        let app = try Self.app()
        await #expect(processExitsWith: .success) { [path = app.path as String] in
            let counting = CountingMetrics()
            let metrics = counting.kept
            MetricsSystem.bootstrap(counting)
            let tracer = InMemoryTracer()
            InstrumentationSystem.bootstrap(tracer)
            try await TelemetryTests.use(path)
            // A caller that waits for an end may continue before the observer runs.
            while !tracer.activeSpans.isEmpty { await Task.yield() }
            let id = [("extension", TelemetryTests.identifier)]
            func ends(_ reason: String) throws -> [Int64] {
                try metrics.expectCounter("annex_ends", id + [("reason", reason)]).values
            }
            #expect(try metrics.expectCounter("annex_launches", id).values.count == 2)
            #expect(try ends("completed").count == 1 && ends("exited").count == 1)
            #expect(try metrics.expectTimer("annex_launch_duration", id).values.allSatisfy { $0 > 0 })
            let answered = try metrics.expectTimer("annex_request_duration", id + [("outcome", "answered")])
            let failed = try metrics.expectTimer("annex_request_duration", id + [("outcome", "ended")])
            #expect(answered.values.count == 2 && failed.values.count == 1)
            #expect(try metrics.expectMeter("annex_running", id).values.last == 0)
            #expect(counting.meters == 1)
            let rejected = try metrics.expectCounter(
                "annex_launches_rejected", [("extension", "com.example.nobody"), ("code", "unknownExtension")])
            #expect(rejected.values.count == 1)
            let spans = tracer.finishedSpans
            let sessions = spans.filter { $0.operationName == "annex session" }
            let requests = spans.filter { $0.operationName == "annex request" }
            #expect(sessions.count == 2 && requests.count == 3 && tracer.activeSpans.isEmpty)
            #expect(sessions.filter { $0.status?.code == .error }.count == 1)
            #expect(requests.filter { $0.status?.code == .error }.count == 1)
            #expect(requests.allSatisfy { one in sessions.contains { $0.spanID == one.parentSpanID } })
        }
    }

    /// This test bootstraps no backend. Metrics and traces are discarded, but the session must work.
    @Test func `a host without a telemetry backend works`() async throws {
        let app = try Self.app()
        try await Self.use(app.path)
    }

    private static func use(_ path: String) async throws {
        let host = try AnnexHost.testing(apps: [path], patience: .seconds(600)).withTelemetry()
        let session = try await host.begin(TelemetryTests.identifier)
        for _ in 0..<2 { _ = try await session.request([ExtensionItem(contentText: "hello")]) }
        #expect(await session.complete().reason == .completed)
        let other = try await host.begin(TelemetryTests.identifier)
        await #expect(throws: HostError.self) { try await other.request([ExtensionItem(contentText: "exits")]) }
        _ = await other.cancel()
        await #expect(throws: HostError.self) { try await host.begin("com.example.nobody") }
    }
}
