import BenchKit
import Histogram
import Testing

@Suite struct VerdictTests {
    private static let scene = Scene(
        "scene", topic: .latency, title: "A scene", setting: Setting(),
        contestants: [.floor("fast"), .floor("slow"), .ours("ours")])

    private static func outcome(_ picoseconds: [UInt64], calls: UInt64 = 1000, elapsed: UInt64 = 1_000_000) -> Outcome {
        var histogram = SampleFile.histogram()
        for value in picoseconds { histogram.record(value) }
        return Outcome(
            summary: Outcome.Summary(
                calls: calls, wrong: 0, elapsed: elapsed, clientProcessor: 1, serverProcessor: 1),
            batched: nil, single: histogram)
    }

    /// The measurements of one slice of each run: two floors and Annex.
    private static func result(_ runs: [(fast: UInt64, slow: UInt64, ours: UInt64)]) -> SceneResult {
        var result = SceneResult(scene)
        for (index, run) in runs.enumerated() {
            result.add(outcome([run.fast]), of: "fast", run: index, slice: 0)
            result.add(outcome([run.slow]), of: "slow", run: index, slice: 0)
            result.add(outcome([run.ours]), of: "ours", run: index, slice: 0)
        }
        return result
    }

    private static func requirement(_ bound: Requirement.Bound) -> Requirement {
        Requirement(
            "line", in: "scene", subject: "ours", against: ["fast", "slow"], called: "the best", bound: bound)
    }

    @Test func `the best of the others counts, in each run by itself`() throws {
        // The two floors exchange their figures between the runs. So the best figure is 100 in both runs.
        let result = Self.result([(100, 200, 120), (200, 100, 120)])
        let verdict = Verdict(Self.requirement(.atMost(1.3)), result: result, runs: 2, slices: 1)
        #expect(verdict.state == .reached)
        #expect(verdict.runs.allSatisfy { abs($0 - 1.2) < 0.01 })
    }

    @Test func `the median of the runs decides, not their mean`() throws {
        let result = Self.result([(100, 200, 120), (100, 200, 125), (100, 200, 90_000)])
        #expect(Verdict(Self.requirement(.atMost(1.3)), result: result, runs: 3, slices: 1).state == .reached)
        let slow = Self.result([(100, 200, 120), (100, 200, 140), (100, 200, 150)])
        #expect(Verdict(Self.requirement(.atMost(1.3)), result: slow, runs: 3, slices: 1).state == .missed)
    }

    @Test func `without ours, or without any of the others, nothing is judged`() {
        var result = SceneResult(Self.scene)
        #expect(Verdict(Self.requirement(.atMost(1)), result: result, runs: 1, slices: 1).state == .open)
        result.add(Self.outcome([1]), of: "ours", run: 0, slice: 0)
        #expect(Verdict(Self.requirement(.atMost(1)), result: result, runs: 1, slices: 1).state == .open)
    }

    @Test func `without one of the others the best of them is unknown`() {
        var result = SceneResult(Self.scene)
        result.add(Self.outcome([100]), of: "ours", run: 0, slice: 0)
        result.add(Self.outcome([100]), of: "slow", run: 0, slice: 0)
        #expect(Verdict(Self.requirement(.atMost(2)), result: result, runs: 1, slices: 1).state == .open)
    }

    @Test func `a contestant that failed in a later turn was not measured`() {
        var result = Self.result([(100, 200, 120)])
        result.failures["ours"] = "its answers were wrong"
        #expect(Verdict(Self.requirement(.atMost(1.3)), result: result, runs: 1, slices: 1).state == .open)
    }

    @Test func `a bound in microseconds is a difference`() {
        let result = Self.result([(50_000_000, 60_000_000, 64_000_000)])
        let requirement = Self.requirement(.atMostAbove(microseconds: 15))
        #expect(Verdict(requirement, result: result, runs: 1, slices: 1).state == .reached)
        let slow = Self.result([(50_000_000, 60_000_000, 66_000_000)])
        #expect(Verdict(requirement, result: slow, runs: 1, slices: 1).state == .missed)
    }

    @Test func `a figure that is compared with no other is judged by itself`() {
        let alone = Requirement(
            "line", in: "scene", subject: "ours", against: [], called: "", bound: .within(microseconds: 20))
        let verdict = Verdict(alone, result: Self.result([(1, 1, 19_000_000)]), runs: 1, slices: 1)
        #expect(verdict.state == .reached && verdict.ratio == nil && verdict.other == nil)
        #expect(abs((verdict.ours ?? 0) - 19) < 0.1)
        let slow = Verdict(alone, result: Self.result([(1, 1, 21_000_000)]), runs: 1, slices: 1)
        #expect(slow.state == .missed)
        #expect(Verdict(alone, result: SceneResult(Self.scene), runs: 1, slices: 1).state == .open)
    }

    @Test func `for a rate more is better`() {
        var result = SceneResult(Self.scene)
        result.add(Self.outcome([1], calls: 1000), of: "fast", run: 0, slice: 0)
        result.add(Self.outcome([1], calls: 500), of: "slow", run: 0, slice: 0)
        result.add(Self.outcome([1], calls: 790), of: "ours", run: 0, slice: 0)
        let against = Requirement(
            "line", in: "scene", subject: "ours", against: ["fast", "slow"], called: "the best", by: .rate,
            bound: .atLeast(0.8))
        #expect(Verdict(against, result: result, runs: 1, slices: 1).state == .missed)
    }
}
