import Foundation
import Testing

@testable import AnnexBroker

/// Thousands of lives of the shipped machine in made-up worlds. `ANNEX_LIFE_SEED=…` replays one life and prints it.
/// `ANNEX_LIVES=…` sets the number of lives.
@Suite struct LifecycleSimulationTests {
    static let times = LifecycleTimes(
        launch: .seconds(1), request: .seconds(3), watchdog: .seconds(2), grace: .seconds(1), memory: 1 << 20)

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    private static var seeds: ClosedRange<UInt64> {
        if let one = number("ANNEX_LIFE_SEED") { return one...one }
        return 0...(number("ANNEX_LIVES") ?? 6_000)
    }

    private static func live(_ machine: some LifeMachine, seed: UInt64) -> LifeRecord {
        var world = SimulatedWorld(machine, times: times, seed: seed, isTraced: number("ANNEX_LIFE_SEED") != nil)
        world.run()
        return world.record
    }

    @Test func `L6: every life has one end in bounded time and leaves nothing`() {
        var reasons: [String: Int] = [:]
        var failed = 0
        for seed in Self.seeds {
            let record = Self.live(Lifecycle(Self.times), seed: seed)
            if Self.seeds.count == 1 { print(record.trace.joined(separator: "\n")) }
            reasons[Self.word(record.cause), default: 0] += 1
            guard !record.failures.isEmpty, failed < 5 else { continue }
            failed += 1
            Issue.record("ANNEX_LIFE_SEED=\(seed): \(record.failures.joined(separator: "; "))")
        }
        guard Self.seeds.count > 1000 else { return }
        // If no simulated life ended for one of these reasons, the simulation would prove nothing about that reason.
        for reason in [
            "nil", "completed", "cancelled", "noSlot", "unanswered", "launchLimit", "timeLimit", "unresponsive",
            "graceExpired", "stuck", "silence", "protocolViolation", "hostGone", "removed", "brokerShutdown",
        ] {
            #expect(reasons[reason, default: 0] > 0, "no life ended as \(reason)")
        }
    }

    @Test(arguments: FaultyLife.Fault.allCases)
    func `the simulation finds every planted fault`(_ fault: FaultyLife.Fault) {
        let seed = (0...2000).first { seed in
            !Self.live(FaultyLife(Lifecycle(Self.times), fault), seed: UInt64(seed)).failures.isEmpty
        }
        #expect(seed != nil, "\(fault) went unnoticed")
    }

    private static func word(_ cause: EndCause??) -> String {
        switch cause {
        case .none: "none"
        case .some(.none): "nil"
        case .some(.some(let cause)): "\(cause)".prefix { $0.isLetter }.description
        }
    }
}
