import ArgumentParser
import BenchKit

struct TableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Print a result again: as text, or as the tables of README and Docs/Benchmarks.md.",
        discussion: """
            EXAMPLES
              annex bench all --peers --json > result.json
              annex bench table result.json --markdown
            """)

    @Argument(help: "What `--json` printed.")
    var result: String

    @Flag(help: "As Markdown tables.")
    var markdown = false

    func run() throws {
        let report = try Report.read(result)
        if markdown {
            print(MarkdownTable(report).text, terminator: "")
        } else {
            print(TextReport(isColoured: Terminal.isColoured).text(report))
        }
    }
}
