import AnnexTestSupport
import Foundation
import Testing

private let launches = Repetitions("ANNEX_CHAOS", short: 60)
private let lanes = Repetitions("ANNEX_CHAOS_LANES", short: 1).count

/// Extensions that have an accident at a random moment of their lives. `make chaos` runs the full number of launches.
/// `ANNEX_SEED=…` repeats the same accidents.
@Suite(.timeLimit(.minutes(launches.watchdog))) struct AccidentTests {
    @Test func `L6: the reason of an end is right for any accident and nothing is left`() async throws {
        let seed = SeededRandom.fresh()
        let shout = try SubstituteApp(running: "works-on")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask { try await Self.run(launches.count / lanes, seed: seed &+ UInt64(lane), shout) }
            }
            try await group.waitForAll()
        }
    }

    private static func run(_ launches: Int, seed: UInt64, _ shout: SubstituteApp) async throws {
        let run = try await Program.run(
            "meets-accidents",
            [shout.path, ExampleBundles.path(of: "Pictures.app"), "\(launches)", "\(seed)"], in: TemporaryFolder())
        #expect(!run.output.contains("unexpected"), "seed \(seed): \(run.output)")
        #expect(
            run.output.hasSuffix("more than before: false\n"), "seed \(seed): \(run.output)\(run.errors.suffix(4000))")
        print("annex: \(launches) launches of chaos, seed \(seed)\n\(run.output)")
    }
}
