import ArgumentParser
import BenchKit

struct TableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Print results again: as text, or as the tables of README and Docs/Reference/Benchmarks.md.",
        discussion: """
            EXAMPLES
              annex bench all --peers --json > result.json
              annex bench table result.json --markdown
              annex bench table result.json scale.json --into README.md
            """)

    @Argument(help: "What `--json` printed; several are shown one below the other.")
    var results: [String]

    @Flag(help: "As Markdown tables.")
    var markdown = false

    @Option(help: "Write the Markdown tables between the marks of this page.")
    var into: String?

    func run() throws {
        let reports = try results.map { try Report.read($0) }
        if let into {
            try MarkedPage.write(Self.tables(of: reports), into: into)
        } else if markdown {
            print(Self.tables(of: reports), terminator: "")
        } else {
            for report in reports { print(TextReport(isColoured: Terminal.isColoured).text(report)) }
        }
    }

    private static func tables(of reports: [Report]) -> String {
        reports.map { MarkdownTable($0).text }.joined(separator: "\n")
    }
}
