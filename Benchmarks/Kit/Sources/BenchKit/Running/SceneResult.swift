/// The measurements of a scene's runs.
package struct SceneResult {
    let scene: Scene
    /// The values by contestant, over all runs together.
    private(set) var tallies: [String: Tally] = [:]
    /// The value of each measure in each slice, by contestant and run.
    private(set) var slices: [String: [Int: [Int: [Requirement.Measure: Double]]]] = [:]
    package var failures: [String: String] = [:]
    /// The contestants that were skipped, each with the remedy.
    package var skipped: [String: String] = [:]
    /// The processor time of the turns that count, and the part of it that other machines got, in ticks.
    private var time: (total: UInt64, stolen: UInt64) = (0, 0)
    var stealPercent: Double { time.total > 0 ? Double(time.stolen) * 100 / Double(time.total) : 0 }

    package init(_ scene: Scene) {
        self.scene = scene
    }

    mutating func add(_ turn: Turn, run: Int, slice: Int) {
        failures.merge(turn.failures) { first, _ in first }
        for (name, outcome) in turn.outcomes { add(outcome, of: name, run: run, slice: slice) }
        time.total += turn.time.total
        time.stolen += turn.time.stolen
    }

    package mutating func add(_ outcome: Outcome, of name: String, run: Int, slice: Int) {
        tallies[name, default: Tally()].add(outcome)
        var values: [Requirement.Measure: Double] = [:]
        for measure in [Requirement.Measure.p50, .p99, .rate] { values[measure] = outcome.value(measure) }
        slices[name, default: [:]][run, default: [:]][slice] = values
    }

    /// A measure of a contestant in one slice of one run.
    func value(_ name: String, measure: Requirement.Measure, run: Int, slice: Int) -> Double? {
        slices[name]?[run]?[slice]?[measure]
    }
}
