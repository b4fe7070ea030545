import AnnexTestSupport
import Foundation
import Testing

private let kills = Repetitions("ANNEX_TRANSFER_KILLS", short: 12)

/// Agents, daemons and extensions that are killed in the course of transfers. `make transfer-kills` kills a thousand.
@Suite(.agentIsBuilt, .farMachineIsPossible, .opensslIsThere, .timeLimit(.minutes(kills.watchdog)))
struct KilledTransferTests {
    /// The kills of one lane in one world. After each world, the test prints what it did.
    private static let ofWorld = 30
    private static let lanes = kills.count >= 40 ? 4 : 1
    private static let seed = SeededRandom.fresh()

    @Test(arguments: 1...lanes)
    func `T3: after kills each task has one outcome, each download its bytes, and nothing is left`(_ lane: Int)
        async throws
    {
        var random = SeededRandom(seed: Self.seed &+ UInt64(lane))
        var left = max(1, kills.count / Self.lanes)
        while left > 0 {
            let count = min(left, Self.ofWorld)
            let seed = UInt32.random(in: 0...UInt32.max, using: &random)
            let line = try await CarriedWorld().lines("print_kills(\(count), \(seed))").last ?? ""
            left -= count
            print("annex: seed \(Self.seed), lane \(lane), \(left) kills left: \(line)")
            let tally = try JSONDecoder().decode([String: Int].self, from: Data(line.utf8))
            let killed = ["agent", "daemon", "extension"].map { tally[$0] ?? 0 }.reduce(0, +)
            #expect(killed == count && tally["tasks", default: 0] > 0, "\(line)")
        }
    }
}
