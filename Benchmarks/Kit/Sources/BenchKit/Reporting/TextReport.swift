internal import Foundation

/// A report for a terminal.
public struct TextReport {
    private let isColoured: Bool

    public init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    public func text(_ report: Report) -> String {
        var lines = ["\(report.date), \(report.machine.sentence); \(report.runs) runs of \(report.slices) slices", ""]
        for scene in report.scenes { lines += self.lines(scene) + [""] }
        if !report.verdicts.isEmpty { lines += verdicts(report.verdicts) }
        if let costs = report.costs { lines += ["", bold("Idle")] + costs.map(line) }
        return lines.joined(separator: "\n")
    }

    /// The time of each step of a launch.
    public func text(_ launch: [LaunchStep]) -> String {
        let steps = launch.filter { $0.name != LaunchStep.total }
        let sum = LaunchStep(name: "all of these", microseconds: steps.reduce(0) { $0 + $1.microseconds })
        return (steps + [sum] + launch.filter { $0.name == LaunchStep.total })
            .map { row($0.name, cells: [Number.short($0.microseconds) + " µs"]) }.joined(separator: "\n")
    }

    private func line(_ cost: IdleCost) -> String {
        let mark = cost.isReached ? good("reached    ") : bad("not reached")
        let unit = cost.unit.isEmpty ? "" : " \(cost.unit)"
        return "  \(mark)  \(cost.title): \(Number.short(cost.value))\(unit); at most \(Number.short(cost.most))\(unit)"
    }

    private func lines(_ scene: SceneReport) -> [String] {
        var lines = [bold(scene.title) + faint("  (\(scene.id), \(scene.setting.placement.rawValue))")]
        let isOneWay = scene.setting.loop == .oneWay
        lines.append(faint(row("", cells: Self.titles(isOneWay))))
        lines += scene.figures.map { row($0.name, cells: isOneWay ? rates($0) : times($0)) }
        lines += scene.skipped.sorted { $0.key < $1.key }.map { "  \(pad($0.key)) skipped: \($0.value)" }
        lines += scene.failures.sorted { $0.key < $1.key }.map { "  \(pad($0.key)) \(bad("failed")): \($0.value)" }
        if scene.stealPercent >= 0.5 {
            lines.append(faint("  \(Number.short(scene.stealPercent)) % of the processors went to other machines"))
        }
        return lines
    }

    private static func titles(_ isOneWay: Bool) -> [String] {
        isOneWay
            ? ["messages/s", "ns each", "cpu s/M"]
            : ["min µs", "p50", "p90", "p99", "p99.9", "p99.99", "max", "mean", "cpu s/M"]
    }

    private func times(_ figures: Figures) -> [String] {
        let values = [
            figures.min, figures.p50, figures.p90, figures.p99, figures.p999, figures.p9999, figures.max, figures.mean,
            figures.processorSeconds,
        ]
        return values.map(Number.short)
    }

    private func rates(_ figures: Figures) -> [String] {
        [Number.short(figures.rate), Number.short(1e9 / figures.rate), Number.short(figures.processorSeconds)]
    }

    private func verdicts(_ verdicts: [Verdict]) -> [String] {
        var lines = [bold("To reach") + faint("  (median over runs; ours against the best of the others)")]
        for verdict in verdicts {
            let mark =
                switch verdict.state {
                case .reached: good("reached    ")
                case .missed: bad("not reached")
                case .open: faint("not measured")
                }
            let found = verdict.ratio.map { " \(Number.short($0)) \(verdict.isDifference ? "µs above" : "×")" } ?? ""
            lines.append(
                "  \(mark)  \(verdict.title):\(found)\(Self.figures(verdict)); \(verdict.bound)")
        }
        return lines
    }

    /// The two figures that are compared, or Annex's figure alone if it has no peer.
    private static func figures(_ verdict: Verdict) -> String {
        guard let ours = verdict.ours else { return " \(verdict.baseline)" }
        guard let other = verdict.other else { return " \(Number.short(ours)) µs" }
        return " \(verdict.baseline) (\(Number.short(ours)) against \(Number.short(other)))"
    }

    private func row(_ name: String, cells: [String]) -> String {
        "  \(pad(name)) " + cells.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
    }

    private func pad(_ name: String) -> String {
        name.padding(toLength: max(24, name.count), withPad: " ", startingAt: 0)
    }
    private func bold(_ text: String) -> String { wrap(text, code: "1") }
    private func faint(_ text: String) -> String { wrap(text, code: "2") }
    private func good(_ text: String) -> String { wrap(text, code: "32") }
    private func bad(_ text: String) -> String { wrap(text, code: "31") }

    private func wrap(_ text: String, code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
