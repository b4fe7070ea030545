import AnnexPolicy
import ArgumentParser

/// What one policy allows beyond another.
struct PolicyDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "What one policy allows beyond another, in words and in calls.",
        discussion: """
            Both are asked about every call at every edge of their conditions, about every path that one of them \
            mentions, and about all else that policies state: when nothing differs here, nothing does.

            EXAMPLES
              annex policy diff tool compute
              annex policy diff base ./mine.yaml --json

            EXIT STATUS
              0   no difference
              1   they differ
              2   one of them cannot be read
            """)

    @Argument(help: "A policy's name, or the path of its file.")
    var first: String

    @Argument(help: "The one to hold it against.")
    var second: String

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
        let difference = try PolicyFailure.reported {
            try PolicyDifference(try choice.policy(first), try choice.policy(second))
        }
        if json {
            print(difference.json.written)
        } else {
            ReportPrinter(style: .forStandardOutput()).show(difference.lines)
        }
        if !difference.isEmpty { throw ExitCode.failure }
    }
}
