import AnnexPolicy
internal import AnnexPolicyTools
import ArgumentParser

/// `annex policy lint`: finds errors and doubtful statements in policies.
struct PolicyLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Find mistakes in policies, and lines that allow more than they seem to.",
        discussion: """
            A policy with an error cannot be used; a policy with warnings can. Each finding names its line and a remedy.

            EXAMPLES
              annex policy lint mine.yaml other.yaml
              annex policy lint policies/*.yaml --json
              annex policy lint tool                    a shipped policy, by its name

            EXIT STATUS
              0   nothing was found
              1   warnings, but no errors
              2   errors
            """)

    @Argument(help: "Policies by name or path.")
    var files: [String]

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
        var findings: [PolicyFinding] = []
        for file in files {
            do {
                let (name, library) = try choice.named(file)
                findings += library.findings(about: name, for: choice.target)
            } catch let error as PolicyError {
                findings.append(PolicyFinding(error))
            } catch {
                findings.append(PolicyFinding(PolicyError("\(error)")))
            }
        }
        try FindingsText.show(findings, asJSON: json)
    }
}

/// Prints the rights that one policy gives and the other policy does not give.
struct PolicyDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what one policy allows beyond another, in words and in calls.",
        discussion: """
            The command compares the answers of both policies to every call at every edge of their conditions, to every \
            path that one of them mentions, and to everything else that policies state. If it prints no difference, there \
            is none.

            EXAMPLES
              annex policy diff tool compute
              annex policy diff base ./mine.yaml --json

            EXIT STATUS
              0   no difference
              1   the policies differ
              2   a policy cannot be read
            """)

    @Argument(help: "A policy's name, or the path of its file.")
    var first: String

    @Argument(help: "The policy to compare it with, by name or path.")
    var second: String

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
        let difference = try PolicyFailure.reported {
            try PolicyDifference(between: try choice.policy(first), and: try choice.policy(second))
        }
        if json {
            print(difference.json.written)
        } else {
            ReportPrinter(style: .forStandardOutput()).show(difference.lines)
        }
        if !difference.isEmpty { throw ExitCode.failure }
    }
}
