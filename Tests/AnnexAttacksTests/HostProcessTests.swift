import AnnexLaunch
import AnnexPolicy
import Synchronization
import Testing

@testable import AnnexAttacks

/// Tries that name a process of the host by its number.
@Suite(.timeLimit(.minutes(20))) struct HostProcessTests {
    /// The program of the first sandbox has the number of the host's process, and that of the second has another one.
    @Test func `a program that has the number of the process by chance proves nothing`() async throws {
        #expect(try await verdict(reaching: { $0 == 1 }) == .stopped(by: ["an ordinary user's rights"]))
    }

    @Test func `a program that reaches the process each time gets through`() async throws {
        #expect(try await verdict(reaching: { _ in true }) == .gotThrough)
    }

    /// - Parameter reaching: whether the program of the sandbox with this place, from 1, reaches the process.
    private func verdict(reaching: @escaping @Sendable (Int) -> Bool) async throws -> TryVerdict {
        let sandboxes = Atomic(0)
        let one = Try.onHostProcess("reach the process") { script, _, _ in
            let place = sandboxes.add(1, ordering: .relaxed).newValue
            return .succeeds(script.call("close", with: reaching(place) ? 0 : -1))
        }
        let runner = try AttackRunner()
        return try await runner.run(one, under: try .shipped(named: "tool"), layers: .all).verdict
    }
}
