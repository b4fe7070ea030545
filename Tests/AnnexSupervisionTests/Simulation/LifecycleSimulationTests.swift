import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexSupervision

/// Thousands of lives of the shipped machine in made-up worlds. `ANNEX_LIFE_SEED=…` replays one life and prints it.
/// `ANNEX_LIVES=…` sets the number of lives.
@Suite struct LifecycleSimulationTests {
    private static func times(_ kind: LifeKind) -> LifecycleTimes {
        LifecycleTimes(
            .example(memory: 1 << 20, request: .seconds(3), watchdog: .seconds(2)), of: kind)
    }

    private static let oneSeed: UInt64? = GivenNumber.of("ANNEX_LIFE_SEED")

    private static var seeds: ClosedRange<UInt64> {
        if let oneSeed { return oneSeed...oneSeed }
        return 0...(GivenNumber.of("ANNEX_LIVES") ?? 6_000)
    }

    private static func live<Machine: LifeMachine>(
        _ kind: LifeKind, seed: UInt64, as machine: (Lifecycle) -> Machine
    ) -> LifeRecord {
        let times = times(kind)
        var world = SimulatedWorld(
            machine(Lifecycle(times)), times: times, seed: seed, isTraced: oneSeed != nil)
        world.run()
        return world.record
    }

    /// Some reasons of each kind. If no simulated life ended for one of them, the simulation would prove nothing about
    /// that reason.
    private static func reasons(_ kind: LifeKind) -> [String] {
        let common = ["nil", "launchLimit", "timeLimit", "stuck", "protocolViolation", "removed", "brokerShutdown"]
        return switch kind {
        case .program: common + ["stopIgnored"]
        case .extension:
            common + [
                "completed", "cancelled", "noSlot", "unanswered", "unresponsive", "graceExpired", "silence", "hostGone",
            ]
        }
    }

    @Test(arguments: LifeKind.allCases)
    func `L6: every life has one end in bounded time and leaves nothing`(kind: LifeKind) {
        var reasons: [String: Int] = [:]
        var failed = 0
        for seed in Self.seeds {
            let record = Self.live(kind, seed: seed) { $0 }
            if Self.seeds.count == 1 { print(record.trace.joined(separator: "\n")) }
            reasons[Self.word(record.cause), default: 0] += 1
            guard !record.failures.isEmpty, failed < 5 else { continue }
            failed += 1
            Issue.record("ANNEX_LIFE_SEED=\(seed), \(kind): \(record.failures.joined(separator: "; "))")
        }
        guard Self.seeds.count > 1000 else { return }
        for reason in Self.reasons(kind) { #expect(reasons[reason, default: 0] > 0, "no life ended as \(reason)") }
    }

    @Test(arguments: FaultyLife.Fault.allCases)
    func `the simulation finds every planted fault`(_ fault: FaultyLife.Fault) {
        #expect(Self.finds(fault, in: .extension), "\(fault) went unnoticed")
    }

    @Test(arguments: [FaultyLife.Fault.forgetsDeath, .tellsTooEarly])
    func `the simulation of a program finds faults at its end`(_ fault: FaultyLife.Fault) {
        #expect(Self.finds(fault, in: .program), "\(fault) went unnoticed")
    }

    private static func finds(_ fault: FaultyLife.Fault, in kind: LifeKind) -> Bool {
        (0...2000).contains { seed in
            !live(kind, seed: UInt64(seed)) { FaultyLife($0, fault) }.failures.isEmpty
        }
    }

    private static func word(_ cause: EndCause??) -> String {
        switch cause {
        case .none: "none"
        case .some(.none): "nil"
        case .some(.some(let cause)): "\(cause)".prefix { $0.isLetter }.description
        }
    }
}
