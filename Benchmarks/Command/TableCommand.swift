import ArgumentParser
import BenchKit

struct TableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Print results again: as text, or as the tables of the documentation.",
        discussion: """
            A page says by its marks what it gets: README.md has five figures, Docs/Reference/Benchmarks.md every table. \
            Both have to be made of the same results.

            EXAMPLES
              annex bench all --peers --json > result.json
              annex bench table result.json --markdown
              annex bench table result.json scale.json --into README.md --into Docs/Reference/Benchmarks.md
            """)

    @Argument(help: "What `--json` printed; several are shown one below the other.")
    var results: [String]

    @Flag(help: "As Markdown tables.")
    var markdown = false

    @Option(help: "Write figures or tables between the marks of this page; may be given more than once.")
    var into: [String] = []

    func run() throws {
        let reports = try results.map { try Report.read($0) }
        for page in into {
            try MarkedPage.write(into: page) { part in
                switch part {
                case .figures: try FiguresTable(reports).text()
                case .table: Self.tables(of: reports)
                }
            }
        }
        if !into.isEmpty { return }
        if markdown {
            print(Self.tables(of: reports), terminator: "")
        } else {
            for report in reports { print(TextReport(isColoured: Terminal.isColoured).text(report)) }
        }
    }

    private static func tables(of reports: [Report]) -> String {
        reports.map { MarkdownTable($0).text }.joined(separator: "\n")
    }
}
