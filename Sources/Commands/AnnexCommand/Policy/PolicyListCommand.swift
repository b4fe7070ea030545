import AnnexPolicy
import ArgumentParser

/// `annex policy list`: all policies, one a line.
struct PolicyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The policies there are, each with its purpose.",
        discussion: """
            EXAMPLES
              annex policy list
              annex policy list --policies ./policies --json
            """)

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
        try PolicyFailure.reported {
            let library = try choice.library()
            var members: [JSON] = []
            let width = (library.names.map(\.count).max() ?? 0) + 2
            for name in library.names {
                let policy = try library.policy(named: name, for: choice.target)
                members.append(
                    .object([
                        .init("name", .text(name)), .init("summary", .text(policy.summary)),
                        .init("calls", .number(policy.allowedCalls.count)),
                    ]))
                if !json { print("\(name.padded(to: width))\(policy.summary)") }
            }
            if json { print(JSON.list(members).written) }
        }
    }
}
