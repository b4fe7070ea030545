import AnnexPolicy
import ArgumentParser

/// `annex policy show`: one policy as it is in force, with its includes merged, or compiled.
struct PolicyShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One policy with everything that it includes.",
        discussion: """
            EXAMPLES
              annex policy show compute                 its text, each part with what it includes
              annex policy show compute --compiled      calls and filter instructions on each architecture
              annex policy show compute --layers        which layer holds which statement, and what it cannot
              annex policy show ./mine.yaml --json
            """)

    @Argument(help: "A policy's name, or the path of its file.")
    var policy: String

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "What it compiles to, for each architecture.")
    var compiled = false

    @Flag(help: "What each layer can say of it, and what it cannot.")
    var layers = false

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
        try PolicyFailure.reported {
            if compiled {
                try showCompiled()
            } else if layers {
                let table = try choice.policy(policy).layerTable()
                print(json ? LayerTableText.json(table).written : LayerTableText.lines(table).joined(separator: "\n"))
            } else if json {
                print(try choice.policy(policy).explanation(of: .whole).json.written)
            } else {
                print(try choice.policy(policy).joinedText, terminator: "")
            }
        }
    }

    private func showCompiled() throws {
        var members: [JSON] = []
        for architecture in Architecture.allCases {
            var choice = choice
            choice.architecture = architecture
            let policy = try choice.policy(policy)
            let count = try policy.filter().count
            members.append(
                .object([
                    .init("architecture", .text(architecture.rawValue)), .init("instructions", .number(count)),
                    .init("calls", .texts(policy.allowedCalls)),
                ]))
            guard !json else { continue }
            print("\(architecture.rawValue): \(policy.allowedCalls.count) calls, \(count) instructions")
            for line in Columns.wrapped(policy.allowedCalls.joined(separator: " "), width: 96) { print("  \(line)") }
        }
        if json { print(JSON.list(members).written) }
    }
}
