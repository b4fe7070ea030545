import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexPortalServer

private let kills = Repetitions("ANNEX_KILLS", short: 25)

/// Processes that are killed while they hold coordinated accesses.
@Suite(.timeLimit(.minutes(kills.watchdog))) struct CoordinationKillTests {
    private let fixture: GroupFixture

    init() throws {
        fixture = try GroupFixture()
        _ = try fixture.openGroup()
    }

    private func process(_ count: Int) throws -> ChildProcess {
        try ChildProcess(
            ChildProcess.executable("coordinates-files"),
            arguments: [fixture.folder.url.path, fixture.key.team, fixture.key.identifier, "\(count)"])
    }

    @Test func `S3: random processes are never in one item together, and a kill frees what was held`() async throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        var running = [try process(0), try process(0), try process(0)]
        defer { for one in running { one.signal(SIGKILL) } }
        for kill in 0..<kills.count {
            try await Task.sleep(for: .microseconds(Int.random(in: 0...40_000, using: &random)))
            let victim = running.remove(at: Int.random(in: 0..<running.count, using: &random))
            victim.signal(SIGKILL)
            // If a process saw a fault, it exited with 3 before this kill.
            #expect(await victim.ended() == .killed(signal: SIGKILL), "seed \(seed), kill \(kill)")
            running.append(try process(0))
        }
        // These processes exit only if they get each access, while the other processes also run.
        let last = [try process(200), try process(200)]
        for one in last { #expect(await one.ended() == .exited(0), "seed \(seed)") }
        for one in running {
            one.signal(SIGKILL)
            #expect(await one.ended() == .killed(signal: SIGKILL), "seed \(seed)")
        }
    }
}
