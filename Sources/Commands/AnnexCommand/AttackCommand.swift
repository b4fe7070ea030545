import AnnexAttacks
import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// Tries every attack of the catalogue against a policy. Each attack runs in its own sandbox.
struct AttackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Run the attacks of a hostile program against a policy of your choice.",
        discussion: """
            The command runs each attack of the catalogue (Docs/Reference/Attacks.md) in a sandbox of its own, and \
            prints one of these results:

              stopped              the sandbox stopped the attack; the layers that stopped it are named
              allowed on purpose   the policy grants the call or path; the line that grants it is named
              not applicable       the attack does not apply here; the reason is given
              driven by tests      a single program cannot try the attack; tests do
              GOT THROUGH          nothing stopped the attack

            An attack that gets through does no harm: its arguments are invalid on purpose, and its targets belong to \
            this program.

            EXAMPLES
              annex attack                             every attack, against the policy `compute`
              annex attack --policy mine.yaml          every attack, against your own policy
              annex attack --only FS-01,NS-01          two attacks
              annex attack --without seccomp           find the attacks that only seccomp stops
              annex attack --json | jq '.attacks[] | select(.verdict == "got-through")'

            EXIT STATUS
              0   no attack got through
              1   an attack got through
              2   the attacks could not be tried; the reason is printed
            """)

    @Option(
        help: "The policy: the name of a shipped one, or the path of a file. Entitlements may follow, each after a `+`."
    )
    var policy = "compute"

    @OptionGroup var choice: PolicyChoice

    @Option(help: "Run only these attacks: their ids, separated by commas.")
    var only: String?

    @Option(
        help: ArgumentHelp(
            "Leave this layer out. May be given more than once. Layers: \(SandboxLayer.allCases.map(\.rawValue).joined(separator: " ")).",
            valueName: "layer"))
    var without: [String] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @Flag(help: "Print the page of the catalogue (Docs/Reference/Attacks.md), and run no attack.")
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
                    + "annex policy explain --arch \(choice.target.rawValue) shows how the policy answers them")
        }
        let policy = try PolicyFailure.reported { try choice.policy(self.policy) }
        let (attacks, layers) = (try chosen(), try layers())
        let runner = try AttackRunner()
        var results: [AttackResult] = []
        for (index, attack) in attacks.enumerated() {
            AttackProgress.show(index + 1, of: attacks.count, id: attack.id)
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
            throw ValidationError("--only names no attack; annex attack --document lists them all")
        }
        return try words.map { word in
            let id = word.uppercased()
            guard let attack = Catalogue.attack(id) else {
                throw ValidationError(
                    "the catalogue has no attack \(Escaped(id)); annex attack --document lists them all")
            }
            return attack
        }
    }

    private func layers() throws -> SandboxLayers {
        try without.reduce(.all) { layers, word in
            guard let layer = SandboxLayer(rawValue: word), let index = SandboxLayer.allCases.firstIndex(of: layer)
            else {
                let known = SandboxLayer.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("there is no layer \(Escaped(word)); the layers are: \(known)")
            }
            return layers.subtracting(SandboxLayers(rawValue: 1 << UInt32(index)))
        }
    }
}

/// Shows the progress of the attacks on a terminal. If the output is not a terminal, it prints nothing.
enum AttackProgress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ number: Int, of count: Int, id: String) {
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
