import AnnexTestSupport
import Foundation
import Testing

/// The library must not disturb the host's children, signals and descriptors.
@Suite(.timeLimit(.minutes(20))) struct PolitenessTests {
    @Test func `the children, signals, mask and descriptors of the host stay its own`() async throws {
        let folder = try TemporaryFolder()
        let app = try ExampleBundles.path(of: "Shout.app")
        let run = try await Program.run("lives-its-own-life", [app, "com.example.shout.loud", "20"], in: folder)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            lines == [
                // There is one child for each launch, and one child that lives as long as all launches.
                "children 21 reaped 21",
                "signals no more than children: true",
                "dumpable as before: true",
                "signal mask as before: true",
                "descriptors that a child would inherit, more than before: 0",
            ], "\(run.output)\(run.errors)")
    }
}
