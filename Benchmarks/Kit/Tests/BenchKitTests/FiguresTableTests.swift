import BenchKit
import Foundation
import Testing

@Suite struct FiguresTableTests {
    /// The report of a run that measured some of the figures, each as a ratio of two.
    private static func report(_ figures: ArraySlice<FiguresTable.Figure>, on processor: String) throws -> Report {
        let verdicts = figures.map { figure in
            """
            {"title": "\(figure.title)", "baseline": "\(figure.baseline)", "state": "reached", "measure": "p50",
             "ours": 0.2, "other": 0.1, "ratio": 2, "isDifference": false, "bound": "at most 3 ×", "runs": [2]}
            """
        }
        return Report(
            date: "2026-01-02", machine: Machine(processor: processor, cores: 2, kernel: "6.18", isVirtual: false),
            runs: 1, slices: 1, scenes: [],
            verdicts: try JSONDecoder().decode([Verdict].self, from: Data("[\(verdicts.joined(separator: ","))]".utf8)))
    }

    @Test func `every figure is one that is judged`() {
        for figure in FiguresTable.figures {
            let found = Catalogue.requirements.filter { $0.title == figure.title && $0.baseline == figure.baseline }
            #expect(found.count == 1, "\(figure.title), \(figure.baseline)")
        }
    }

    @Test func `the table says each figure as the long tables do, and where it was measured`() throws {
        let figures = FiguresTable.figures
        let reports = [
            try Self.report(figures.prefix(3), on: "A"), try Self.report(figures.dropFirst(3), on: "B"),
        ]
        let text = try FiguresTable(reports).text()
        #expect(text.split(separator: "\n").filter { $0.contains("| 0.2 µs | 0.1 µs | 2 × |") }.count == figures.count)
        for report in reports {
            let long = MarkdownTable(report).text
            #expect(long.contains("| 0.2 µs | 0.1 µs | 2 × |"), "\(long)")
        }
        #expect(text.contains("Rows 1 to 3: measured 2026-01-02 on A, 2 cores, Linux 6.18."))
        #expect(text.contains("Rows 4 to 5: measured 2026-01-02 on B, 2 cores, Linux 6.18."))
    }

    @Test func `a figure that was not measured is an error`() throws {
        let report = try Self.report(FiguresTable.figures.dropLast(), on: "A")
        #expect(throws: FiguresTable.Missing.self) { try FiguresTable([report]).text() }
    }
}
