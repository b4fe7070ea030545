/// Whether a requirement is reached, and by which figures.
public struct Verdict: Codable, Sendable {
    public enum State: String, Codable, Sendable {
        case reached
        case missed = "not reached"
        /// The measurement of a contestant that the requirement needs is missing.
        case open = "not measured"
    }

    public let title: String
    public let state: State
    public let measure: Requirement.Measure
    /// Annex's figure and the best figure of the others: microseconds, or messages a second.
    public let ours: Double?
    public let other: Double?
    /// The median over runs of each run's ratio (or, for a bound in microseconds, difference). Nil if Annex's figure is
    /// not compared with another.
    public let ratio: Double?
    /// Whether `ratio` is a difference in microseconds.
    public let isDifference: Bool
    public let bound: String
    public let baseline: String
    /// Each run's ratio. If Annex's figure is not compared with another, the figure in microseconds.
    public let runs: [Double]
}

extension Verdict {
    package init(_ requirement: Requirement, result: SceneResult?, runs: Int, slices: Int) {
        let perRun = (0..<runs).compactMap { run in
            Self.median(
                (0..<slices).compactMap { Self.compare(requirement, result: result, run: run, slice: $0)?.ratio })
        }
        let pairs = (0..<runs).flatMap { run in
            (0..<slices).compactMap { Self.compare(requirement, result: result, run: run, slice: $0) }
        }
        title = requirement.title
        measure = requirement.measure
        if case .atMostAbove = requirement.bound { isDifference = true } else { isDifference = false }
        baseline = requirement.baseline
        bound = requirement.bound.text
        self.runs = perRun
        let middle = Self.median(perRun)
        if case .within = requirement.bound { ratio = nil } else { ratio = middle }
        let scale = requirement.measure == .rate ? 1.0 : 1e6
        ours = Self.median(pairs.map(\.ours)).map { $0 / scale }
        other = Self.median(pairs.compactMap(\.other)).map { $0 / scale }
        // If a contestant failed once, it counts as not measured.
        let failed = ([requirement.subject] + requirement.against).contains { result?.failures[$0] != nil }
        state = failed ? .open : middle.map { requirement.bound.holds($0) ? .reached : .missed } ?? .open
    }

    /// Compares figures that were measured at the same time: Annex's figure with the best figure of the others in the
    /// same slice.
    private static func compare(
        _ requirement: Requirement, result: SceneResult?, run: Int, slice: Int
    ) -> (ours: Double, other: Double?, ratio: Double)? {
        let value = { result?.value($0, measure: requirement.measure, run: run, slice: slice) }
        // All of the others must have been measured. If one is missing, the best of the rest may be a different
        // baseline.
        let others = requirement.against.compactMap(value)
        guard let ours = value(requirement.subject), others.count == requirement.against.count else { return nil }
        if case .within = requirement.bound { return (ours, nil, ours / 1e6) }
        let isRate = requirement.measure == .rate
        guard let best = isRate ? others.max() : others.min(), best > 0 else { return nil }
        if case .atMostAbove = requirement.bound { return (ours, best, (ours - best) / 1e6) }
        return (ours, best, ours / best)
    }

    package static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension Requirement.Bound {
    func holds(_ value: Double) -> Bool {
        switch self {
        case .atMost(let most): value <= most
        case .atLeast(let least): value >= least
        case .atMostAbove(let microseconds), .within(let microseconds): value <= microseconds
        }
    }

    var text: String {
        switch self {
        case .atMost(let most): "at most \(Number.short(most)) ×"
        case .atLeast(let least): "at least \(Number.short(least)) ×"
        case .atMostAbove(let microseconds): "at most \(Number.short(microseconds)) µs above"
        case .within(let microseconds): "at most \(Number.short(microseconds)) µs"
        }
    }
}
