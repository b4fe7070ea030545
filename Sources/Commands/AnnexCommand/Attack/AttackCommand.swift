import AnnexAttacks
import AnnexLinux
import AnnexPolicy
import AnnexLaunch
import ArgumentParser
import Glibc

/// Tries every attack of the catalogue against a policy, each in a sandbox of its own.
struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Try what a hostile program will try, against a policy of your choice.",
        discussion: """
            Each technique of the catalogue (Docs/Reference/Attacks.md) is really tried, in a sandbox of its own, and ends in one \
            of these: stopped, by the layers that are named; allowed on purpose, by the line of the policy that grants \
            it; not applicable, with the reason; driven by tests, where a lone program cannot try it; or GOT THROUGH. \
            Nothing that gets through does harm: arguments are bad on purpose, targets are this program's own.

            EXAMPLES
              annex attack                             every technique, against `compute`
              annex attack --policy mine.yaml          against a policy of yours
              annex attack --only FS-01,NS-01          two techniques
              annex attack --without seccomp           what then rests on seccomp alone
              annex attack --json | jq '.attacks[] | select(.verdict == "got-through")'

            EXIT STATUS
              0   nothing got through
              1   something got through
              2   the trials could not be made; the reason is printed
            """)

    @Option(help: "A shipped policy, or the file of one.")
    var policy = "compute"

    @OptionGroup var choice: PolicyChoice

    @Option(help: "These techniques alone, by their ids, separated by commas.")
    var only: String?

    @Option(
        help: ArgumentHelp(
            "Leave a layer out; may be given more than once: \(SandboxLayer.allCases.map(\.rawValue).joined(separator: " ")).",
            valueName: "layer"))
    var without: [String] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @Flag(help: "Print the page of the catalogue (Docs/Reference/Attacks.md) and try nothing.")
    var document = false

    func run() async throws {
        do {
            if document { return try printDocument() }
            let isHeld = try await tryAll()
            if !isHeld { throw ExitCode.failure }
        } catch let failure as TrialFailure {
            StandardError.print("annex: \(failure)")
            throw ExitCode(2)
        }
    }

    /// - Returns: whether every attack was stopped.
    private func tryAll() async throws -> Bool {
        guard choice.target == .current else {
            throw TrialFailure(
                "calls of \(choice.target.rawValue) cannot be tried on this machine, which is \(Architecture.current.rawValue); "
                    + "annex policy explain --arch \(choice.target.rawValue) says what the policy answers")
        }
        let policy = try PolicyFailure.reported { try choice.policy(self.policy) }
        let (attacks, layers) = (try chosen(), try layers())
        let runner = try AttackRunner()
        var results: [AttackResult] = []
        for (index, attack) in attacks.enumerated() {
            AttackProgress.show(index + 1, of: attacks.count, attack.id)
            results.append(try await runner.run(attack, under: policy, layers: layers))
        }
        AttackProgress.clear()
        let report = AttackReport(policy: policy.name, waived: SandboxLayers.all.subtracting(layers), results: results)
        print(json ? report.json : report.text(style: Style.forStandardOutput()))
        return report.isHeld
    }

    private func printDocument() throws {
        let policies = try PolicyLibrary.shipped.names.map { try Policy.shipped(named: $0) }
        print(CatalogueDocument(of: try AttackRunner(), under: policies).text, terminator: "")
    }

    private func chosen() throws -> [Attack] {
        guard let only else { return Catalogue.attacks }
        let words = only.split(separator: ",")
        guard !words.isEmpty else {
            throw ValidationError("--only names no technique; annex attack --document lists them")
        }
        return try words.map { word in
            let id = word.uppercased()
            guard let attack = Catalogue.attack(id) else {
                throw ValidationError(
                    "\(Escaped(id)) is no technique of the catalogue; annex attack --document lists them")
            }
            return attack
        }
    }

    private func layers() throws -> SandboxLayers {
        try without.reduce(.all) { layers, word in
            guard let layer = SandboxLayer(rawValue: word), let index = SandboxLayer.allCases.firstIndex(of: layer)
            else {
                let known = SandboxLayer.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("\(Escaped(word)) is no layer; there are \(known)")
            }
            return layers.subtracting(SandboxLayers(rawValue: 1 << UInt32(index)))
        }
    }
}

/// Shows the progress of the attacks on a terminal. Prints nothing if the output is no terminal.
enum AttackProgress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ number: Int, of count: Int, _ id: String) {
        if isTerminal { write("\r\u{1B}[K\(number)/\(count) \(id)") }
    }

    static func clear() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
