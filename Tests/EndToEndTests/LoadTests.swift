import AnnexTestSupport
import Foundation
import Testing

/// Many sessions at once, with ends of all kinds. `make load-soak` runs for minutes and checks the memory use.
@Suite(.timeLimit(.minutes(20))) struct LoadTests {
    @Test func `L6: under load every end has its reason and memory stays flat`() async throws {
        let minutes: Int? = GivenNumber.of("ANNEX_LOAD_MINUTES")
        let shout = try SubstituteApp(running: "works-on")
        let seed = SeededRandom.fresh()
        let run = try await Program.run(
            "bears-load",
            [
                shout.path, ExampleBundles.path(of: "Pictures.app"), "\(minutes.map { $0 * 60 } ?? 3)", "\(seed)",
            ], in: TemporaryFolder())
        #expect(!run.output.contains("unexpected"), "\(run.output)\(run.errors.suffix(4000))")
        let verdict = minutes == nil ? "too short for a verdict\n" : "flat: true\n"
        #expect(run.output.hasSuffix(verdict), "seed \(seed): \(run.output)\(run.errors.suffix(4000))")
        if minutes != nil { print("annex: \(run.output)") }
        checkThreads(run.output)
    }

    /// Compares the names of the host's threads with the table in Hosts.md. A thread that another library starts on one of
    /// these threads has the same name, so their numbers say nothing.
    private func checkThreads(_ output: String) {
        let line = output.split(separator: "\n").first { $0.hasPrefix("threads: ") }?.dropFirst(9) ?? ""
        let names = Set(line.split(separator: ", ").map(String.init))
        let stated = ["events", "answers", "calls", "watches", "disks", "slow", "endings", "reports"]
        #expect(names == Set(stated.map { "annex-\($0)" }), "\(line)")
    }
}
