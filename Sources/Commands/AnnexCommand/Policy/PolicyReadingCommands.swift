import AnnexPolicy
internal import AnnexPolicyTools
import ArgumentParser

/// `annex policy list`: lists all policies, and the additions of entitlements and allowances, one in each line.
struct PolicyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List all policies, entitlements and allowances, each with its purpose.",
        discussion: """
            An entitlement adds to the policy of an extension point. Join them to see both together: \
            annex policy show com.apple.share-services+com.apple.security.network.client

            EXAMPLES
              annex policy list
              annex policy list --policies ./policies --json

            EXIT STATUS
              0   the policies are listed
              2   a policy cannot be read
              64  the command line is not understood
            """)

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func run() throws {
        try PolicyFailure.reported {
            let library = try choice.library()
            let policies = try library.names.map { name in
                let policy = try library.policy(named: name, for: choice.target)
                return Row(name: name, summary: policy.summary, calls: policy.allowedCalls.count)
            }
            let entitlements = try rows(of: library.entitlements, in: library)
            let allowances = try rows(of: library.allowances, in: library)
            if json {
                let members =
                    policies.map { $0.json(kind: "policy") } + entitlements.map { $0.json(kind: "entitlement") }
                    + allowances.map { $0.json(kind: "allowance") }
                return print(JSON.list(members).written)
            }
            let width = ((policies + entitlements + allowances).map(\.name.count).max() ?? 0) + 2
            for row in policies { print("\(row.name.padded(to: width))\(row.summary)") }
            print("\nEntitlements, which add to the policy of an extension (NAME+ENTITLEMENT):")
            for row in entitlements { print("\(row.name.padded(to: width))\(row.summary)") }
            print("\nAllowances, which add to the policy of a program (annex run --allow NAME):")
            for row in allowances { print("\(row.name.padded(to: width))\(row.summary)") }
        }
    }

    private func rows(of fragments: [String], in library: PolicyLibrary) throws -> [Row] {
        try fragments.map { name in
            let fragment = try library.fragment(named: name, for: choice.target)
            return Row(name: name, summary: fragment.name, calls: fragment.allowedCalls.count)
        }
    }

    private struct Row {
        let name: String
        let summary: String
        let calls: Int

        func json(kind: String) -> JSON {
            .object([
                .init("name", value: .text(name)), .init("kind", value: .text(kind)),
                .init("summary", value: .text(summary)), .init("calls", value: .number(calls)),
            ])
        }
    }
}

/// `annex policy show`: prints one policy, with its includes joined in. The output is the policy's text, its compiled
/// calls, or the table of its layers.
struct PolicyShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print one policy with everything that it includes.",
        discussion: """
            EXAMPLES
              annex policy show compute                 print its text and the text of its includes
              annex policy show compute --compiled      print its calls, and count its filter instructions
              annex policy show compute --layers        show which layers enforce each statement, and the gaps
              annex policy show com.apple.share-services+com.apple.security.network.client
              annex policy show com.apple.security.network.client    print what an entitlement adds
              annex policy show jit                     print what `annex run --allow jit` adds
              annex policy show protected               print what `annex run` protects without being asked
              annex policy show credentials             print what `annex run --read-all-but` hides
              annex policy show ./mine.yaml --json

            EXIT STATUS
              0   the policy is printed
              2   the policy cannot be read
              64  the command line is not understood
            """)

    @Argument(help: "A policy's name, or the path of its file.")
    var policy: String

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print the compiled calls and the size of the filter, for each architecture.")
    var compiled = false

    @Flag(help: "Show which layers enforce each statement, and which gaps they leave.")
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
            } else if let text = try choice.library().text(ofFragment: policy) ?? ShippedParts.text(named: policy) {
                print(text, terminator: "")
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
                    .init("architecture", value: .text(architecture.rawValue)),
                    .init("instructions", value: .number(count)),
                    .init("calls", value: .texts(policy.allowedCalls)),
                ]))
            guard !json else { continue }
            print("\(architecture.rawValue): \(policy.allowedCalls.count) calls, \(count) instructions")
            for line in Columns.wrapped(policy.allowedCalls.joined(separator: " "), width: 96) { print("  \(line)") }
        }
        if json { print(JSON.list(members).written) }
    }
}

/// Prints a policy's answer about a call or a path.
struct PolicyExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show what a policy decides about a call or a path, by which line and in which layer.",
        discussion: """
            Without a question, the command describes the whole policy in words. A question is a call, with or without \
            its arguments, or a path. Arguments that you leave out count as 0; the answer says so if that matters.

            EXAMPLES
              annex policy explain compute                               describe the whole policy
              annex policy explain compute ptrace
              annex policy explain tool openat flags=O_WRONLY|O_CREAT    quote the | for your shell
              annex policy explain tool 'mmap(prot=PROT_EXEC, flags=MAP_PRIVATE)'
              annex policy explain tool /etc/passwd                      reading a file
              annex policy explain tool /etc/passwd read,write           reading and writing it
              annex policy explain compute 435 --json                    a call by its number
              annex policy explain tool --document                       a page about the policy, in Markdown

            EXIT STATUS
              0   allowed, or allowed under conditions that are listed
              1   denied
              2   the policy cannot be read, or the question is not understood
            """)

    @Argument(help: "A policy's name, or the path of its file.")
    var policy: String

    @Argument(help: "A call (with name=value for its arguments) or an absolute path (with rights).")
    var question: [String] = []

    @OptionGroup var choice: PolicyChoice

    @Flag(help: "Print JSON instead of text.")
    var json = false

    @Flag(help: "Print a page in Markdown: what the policy gives, what it denies and with which errno.")
    var document = false

    func validate() throws {
        guard !document || (question.isEmpty && !json) else {
            throw ValidationError("--document describes the whole policy: leave out the question and --json")
        }
    }

    func run() throws {
        if document { return print(try PolicyFailure.reported { try choice.policy(policy).manual }, terminator: "") }
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

/// Prints a policy's table of layers, as text or as JSON.
enum LayerTableText {
    /// The lines for each statement. They say which layers enforce the statement fully, which in part, and which cannot
    /// enforce it.
    static func lines(_ table: LayerTable) -> [String] {
        // Statements about calls are left out. Only the filter enforces them, and it enforces all of them in the same
        // way.
        let rows = table.rows.filter { if case .call = $0.statement { false } else { true } }
        return rows.flatMap { row in
            var lines = ["\(row.statement)" + (row.place.map { "   \($0)" } ?? "")]
            let holders = row.holders.map(\.title) + (row.elsewhere.map { [$0] } ?? [])
            lines.append("  held by " + (holders.isEmpty ? "no layer completely" : holders.joined(separator: ", ")))
            for layer in SandboxLayer.allCases {
                switch row.parts[layer] {
                case .some(.partly(let gap)): lines.append("  \(layer.title) in part: \(gap)")
                case .some(.none(let gap)): lines.append("  \(layer.title) not: \(gap)")
                case .whole, nil: break
                }
            }
            return lines
        }
    }

    static func json(_ table: LayerTable) -> JSON {
        .list(
            table.rows.map { row in
                var members: [JSON.Member] = [
                    .init("statement", value: .text("\(row.statement)")),
                    .init("heldBy", value: .texts(row.holders.map(\.title))),
                ]
                if let place = row.place { members.append(.init("place", value: .text("\(place)"))) }
                if let elsewhere = row.elsewhere { members.append(.init("elsewhere", value: .text(elsewhere))) }
                let gaps = SandboxLayer.allCases.compactMap { layer in
                    row.parts[layer]?.gap.map { JSON.Member(layer.title, value: .text($0)) }
                }
                return .object(members + [.init("gaps", value: .object(gaps))])
            })
    }
}
