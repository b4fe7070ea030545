import AnnexTestSupport
import Foundation
import Testing

/// Extensions to which something happens at a random moment of their lives. `ANNEX_ACCIDENTS=10000` asks for more,
/// `ANNEX_ACCIDENT_SEED=…` for the same again.
@Suite(.timeLimit(.minutes(20))) struct AccidentTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test func `L6: whatever happens and when, the reason is right and nothing is left`() async throws {
        let app = try SubstituteApp(running: "works-on")
        let folder = try TemporaryFolder()
        let rounds = Self.number("ANNEX_ACCIDENTS") ?? 60
        let seed = Self.number("ANNEX_ACCIDENT_SEED") ?? UInt64.random(in: 0..<1_000_000)
        let run = try await Program.run(
            "meets-accidents", [app.path, SubstituteApp.identifier, "\(rounds)", "\(seed)"], in: folder)
        #expect(!run.output.contains("unexpected"), "\(run.output)")
        #expect(run.output.hasSuffix("more than before: false\n"), "seed \(seed): \(run.output)\(run.errors)")
    }
}
