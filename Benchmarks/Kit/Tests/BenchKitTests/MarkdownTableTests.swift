import BenchKit
import Foundation
import Histogram
import Testing

@Suite struct MarkdownTableTests {
    /// The report of a run with two floors, Annex, and a peer that is not installed.
    private static func report() throws -> Report {
        let scene = Scene(
            "awake", topic: .latency, title: "Awake", setting: Setting(),
            contestants: [.floor("spin-line"), .ours("annex-raw"), .peer("nng")])
        var result = SceneResult(scene)
        result.skipped["nng"] = "apt-get install libnng-dev"
        for (name, picoseconds) in [("spin-line", UInt64(100_000)), ("annex-raw", 120_000)] {
            var histogram = SampleFile.histogram()
            histogram.record(picoseconds)
            let summary = Outcome.Summary(
                calls: 1, wrong: 0, elapsed: 1, clientProcessor: 1, serverProcessor: 1)
            result.add(Outcome(summary: summary, batched: nil, single: histogram), of: name, run: 0, slice: 0)
        }
        let requirement = Requirement(
            "64 B round trip", in: "awake", subject: "annex-raw", against: ["spin-line"], called: "the floor",
            bound: .atMost(1.3))
        return Report(
            date: "2026-01-02", machine: Machine(processor: "A", cores: 2, kernel: "6.18", isVirtual: true), runs: 1,
            slices: 1, scenes: [SceneReport(result)],
            verdicts: [Verdict(requirement, result: result, runs: 1, slices: 1)])
    }

    @Test func `the tables say date, machine, figures and verdict`() throws {
        let text = MarkdownTable(try Self.report()).text
        #expect(text.contains("2026-01-02") && text.contains("A, 2 cores, a virtual machine, Linux 6.18"))
        #expect(text.contains("| annex-raw | 0.12 |") && text.contains("| spin-line | 0.1 |"))
        #expect(text.contains("| 1.2 × | at most 1.3 × the floor | reached |"), "\(text)")
        let tables = text.split(separator: "\n").filter { $0.hasPrefix("|") }
        for (line, next) in zip(tables, tables.dropFirst()) where next.hasPrefix("|---") {
            #expect(line.filter { $0 == "|" }.count == next.filter { $0 == "|" }.count)
        }
    }

    @Test func `what was written down reads as it was`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let report = try Self.report()
        try report.encoded().write(to: URL(filePath: path))
        let read = try Report.read(path)
        #expect(MarkdownTable(read).text == MarkdownTable(report).text)
        #expect(TextReport(isColoured: false).text(read) == TextReport(isColoured: false).text(report))
        #expect(read.isReached, "a peer that is not installed is nothing that is missing")
    }
}
