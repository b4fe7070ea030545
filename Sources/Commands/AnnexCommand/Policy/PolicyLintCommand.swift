import AnnexLinux
import AnnexPolicy
import ArgumentParser

/// `annex policy lint`: finds errors and doubtful statements in policies.
struct PolicyLintCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint", abstract: "Mistakes in policies, and lines that open more than they seem to.",
        discussion: """
            An error keeps a policy from being used; a warning does not. Each names its line and what helps.

            EXAMPLES
              annex policy lint mine.yaml other.yaml
              annex policy lint policies/*.yaml --json
              annex policy lint tool                    a shipped one by its name

            EXIT STATUS
              0   nothing found
              1   warnings
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
        show(findings)
        if findings.contains(where: { $0.severity == .error }) { throw PolicyFailure.status }
        if !findings.isEmpty { throw ExitCode.failure }
    }

    private func show(_ findings: [PolicyFinding]) {
        if json { return print(JSON.list(findings.map(\.json)).written) }
        let style = Style.forStandardOutput()
        for finding in findings {
            let text = Escaped("\(finding)", limit: 4096).description
            print(finding.severity == .error ? style.bad(text) : text)
        }
        if findings.isEmpty { print(style.good("✓ ") + "nothing found") }
    }
}
