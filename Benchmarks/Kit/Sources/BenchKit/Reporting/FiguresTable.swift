/// The five figures that the README shows, chosen from all measurements.
public struct FiguresTable {
    /// The reason why there are no figures.
    public struct Missing: Error, CustomStringConvertible {
        let figure: String

        public var description: String { "none of the results has the figure “\(figure)”" }
    }

    /// A figure of the README. It comes from the verdict with this title and this baseline.
    package struct Figure {
        let name: String
        package let title: String
        package let baseline: String
    }

    package static let figures = [
        Figure(
            name: "64 bytes there and back, both sides spinning on two cores",
            title: "64 B round trip, both awake on two cores, p50", baseline: "the C spin floor with copies"),
        Figure(
            name: "64 bytes there and back, both sides spinning on two cores",
            title: "64 B round trip, both awake on two cores, p50",
            baseline: "the best of iceoryx, sd-bus, Cap'n Proto, gRPC"),
        Figure(
            name: "64 bytes there and back, both sides blocking on two cores",
            title: "64 B round trip, blocking, two cores, p50",
            baseline: "the best of iceoryx, sd-bus, ZeroMQ, nng, Cap'n Proto, gRPC"),
        Figure(
            name: "a launch, from the request to the first answer",
            title: "from the request to the first answer, cold, p50",
            baseline: "bwrap --unshare-all with a static C program"),
        Figure(
            name: "from the request to the first answer of an extension launched ahead",
            title: "the same from standby, p50", baseline: "a cold launch"),
    ]

    private let reports: [Report]

    public init(_ reports: [Report]) {
        self.reports = reports
    }

    /// One row for each figure, then a line that states where the rows were measured.
    public func text() throws(Missing) -> String {
        var lines = [
            "| median of | Annex | the other | ratio (lower is better) | the other is |", "|---|--:|--:|--:|---|",
        ]
        var sources: [(sentence: String, rows: [Int])] = []
        for (index, figure) in Self.figures.enumerated() {
            let (report, row) = try row(figure)
            lines.append(row)
            let sentence = "\(report.date) on \(report.machine.sentence)"
            if sources.last?.sentence == sentence {
                sources[sources.count - 1].rows.append(index + 1)
            } else {
                sources.append((sentence, [index + 1]))
            }
        }
        let origins = sources.map { "\(Self.name($0.rows)): measured \($0.sentence)." }
        return lines.joined(separator: "\n") + "\n\n" + origins.joined(separator: "\n") + "\n"
    }

    private func row(_ figure: Figure) throws(Missing) -> (Report, String) {
        for report in reports {
            let found = report.verdicts.first { $0.title == figure.title && $0.baseline == figure.baseline }
            guard let found, let ours = found.ours, let other = found.other, let ratio = found.ratio else { continue }
            let cells = "\(Number.short(ours)) µs | \(Number.short(other)) µs | \(Number.short(ratio)) ×"
            return (report, "| \(figure.name) | \(cells) | \(figure.baseline) |")
        }
        throw Missing(figure: "\(figure.title), \(figure.baseline)")
    }

    private static func name(_ rows: [Int]) -> String {
        rows.count == 1 ? "Row \(rows[0])" : "Rows \(rows[0]) to \(rows[rows.count - 1])"
    }
}
