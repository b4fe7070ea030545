import AnnexPolicy
import ArgumentParser

/// What a policy says about a call or a path.
struct PolicyExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "What a policy says about a call or a path, by which line, in which layer.",
        discussion: """
            Without a question the whole policy is put in words. A call is named with or without its arguments; those \
            that are left out count as 0, and it is said where that matters.

            EXAMPLES
              annex policy explain compute                               the whole policy in words
              annex policy explain compute ptrace
              annex policy explain tool openat flags=O_WRONLY|O_CREAT    quote the | for your shell
              annex policy explain tool 'mmap(prot=PROT_EXEC, flags=MAP_PRIVATE)'
              annex policy explain tool /etc/passwd                      to be read
              annex policy explain tool /etc/passwd read,write
              annex policy explain compute 435 --json                    a call by its number

            EXIT STATUS
              0   allowed, or allowed under conditions that are listed
              1   refused
              2   the policy cannot be read or the question is not understood
            """)

    @Argument(help: "A policy's name, or the path of its file.")
    var policy: String

    @Argument(help: "A call (with name=value for its arguments) or an absolute path (with rights).")
    var question: [String] = []

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
        let explanation = try PolicyFailure.reported {
            try choice.policy(policy).explanation(
                of: try PolicyQuestion(words: question, architecture: choice.target))
        }
        if json {
            print(explanation.json.written)
        } else {
            ReportPrinter(style: .forStandardOutput()).show(explanation.lines)
        }
        if explanation.isAllowed == false { throw ExitCode.failure }
    }
}
