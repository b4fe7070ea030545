/// A report as the tables of Docs/Reference/Benchmarks.md.
public struct MarkdownTable {
    private let report: Report

    public init(_ report: Report) {
        self.report = report
    }

    public var text: String {
        var parts = [
            "Measured \(report.date) on \(report.machine.sentence): medians of \(report.runs) runs, each of "
                + "\(report.slices) turns, ours and the others in turns. `annex bench` repeats it."
        ]
        if let table = roundTrips { parts.append(table) }
        if let table = verdicts { parts.append(table) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// One line for each contestant, one column for each way of waiting.
    private var roundTrips: String? {
        let columns = Self.columns.filter { column in column.scenes.contains { scene($0) != nil } }
        let names = Self.ordered(columns.flatMap { column in column.scenes.flatMap { scene($0)?.figures ?? [] } })
        guard !columns.isEmpty, !names.isEmpty else { return nil }
        var lines = [
            "| 64 B round trip, p50, µs |" + columns.map { " \($0.title) |" }.joined(),
            "|---|" + columns.map { _ in "--:|" }.joined(),
        ]
        for name in names {
            let cells = columns.map { column in
                let found = column.scenes.lazy.compactMap { scene($0)?.figures.first { $0.name == name } }.first
                return " \(found.map { Number.short($0.p50) } ?? "") |"
            }
            lines.append("| \(name) |" + cells.joined())
        }
        return lines.joined(separator: "\n")
    }

    /// If a contestant was measured in the same scene as the others, that scene's figure is shown. Figures can be
    /// compared only if they were measured at the same time.
    private static let columns = [
        (title: "both awake, two cores", scenes: ["peers-awake", "awake"]),
        (title: "blocking, one core", scenes: ["peers-asleep-one-core", "asleep-one-core"]),
        (title: "blocking, two cores", scenes: ["peers-asleep-two-cores", "asleep-two-cores"]),
    ]

    /// Annex comes first, then the floors, then the other contestants. Each occurs once.
    private static func ordered(_ figures: [Figures]) -> [String] {
        var seen: Set<String> = []
        return [Contestant.Kind.ours, .floor, .peer].flatMap { kind in
            figures.filter { $0.kind == kind && seen.insert($0.name).inserted }.map(\.name)
        }
    }

    private var verdicts: String? {
        guard !report.verdicts.isEmpty else { return nil }
        var lines = ["| what | ours | the other | | to reach | |", "|---|--:|--:|--:|---|---|"]
        for verdict in report.verdicts {
            let unit = verdict.measure == .rate ? "/s" : " µs"
            let figure = { (value: Double?) in value.map { Number.short($0) + unit } ?? "" }
            let ratio = verdict.ratio.map { Number.short($0) + (verdict.isDifference ? " µs" : " ×") } ?? ""
            lines.append(
                "| \(verdict.title) | \(figure(verdict.ours)) | \(figure(verdict.other)) | \(ratio) "
                    + "| \(Self.target(verdict)) | \(verdict.state.rawValue) |")
        }
        for cost in report.costs ?? [] {
            let unit = cost.unit.isEmpty ? "" : " \(cost.unit)"
            lines.append(
                "| \(cost.title) | \(Number.short(cost.value))\(unit) | | | at most \(Number.short(cost.most))\(unit) "
                    + "| \(cost.isReached ? "reached" : "not reached") |")
        }
        return lines.joined(separator: "\n")
    }

    private static func target(_ verdict: Verdict) -> String {
        verdict.baseline.isEmpty ? verdict.bound : "\(verdict.bound) \(verdict.baseline)"
    }

    private func scene(_ id: String) -> SceneReport? { report.scenes.first { $0.id == id } }
}
