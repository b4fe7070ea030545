import AnnexAttacks
import AnnexLaunch
import AnnexPolicy
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct OrphanTests {
    /// A child in its own session dies with its process namespace, even if no other layer is in force. The first
    /// process of that namespace is the trial's program.
    @Test func `LIFE-02: a child that left its session dies with its namespace`() async throws {
        var script = TrialScript()
        let left = script.conduct(.orphan, with: 100_000)
        let outcome = try await TrialSandbox().run(
            script, under: Self.policy(), layers: [.user, .process], awaitsSilence: true)
        let orphan = try #require(outcome.answers.results[left])
        #expect(orphan > 0)
        // The orphan holds the last descriptor of the answers, and the trial waits until that descriptor is closed.
        // If the orphan lived on, only the watchdog would end this wait.
        #expect(outcome.isComplete)
    }

    /// The policy `base`, with room for a child.
    private static func policy() throws -> Policy {
        let text = """
            policy: family
            summary: A program that may have children.
            includes: [base]
            limits:
              processes: 8
            """
        return try PolicyLibrary.shipped.adding(["family": (text, "family.yaml")]).policy(named: "family")
    }
}
