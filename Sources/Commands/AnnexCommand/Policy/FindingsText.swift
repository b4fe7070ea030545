import AnnexLinux
import AnnexPolicy
internal import AnnexPolicyTools
import ArgumentParser

/// Prints findings, and ends the command with the exit status for these findings.
enum FindingsText {
    static func show(_ findings: [PolicyFinding], asJSON json: Bool) throws {
        if json {
            print(JSON.list(findings.map(\.json)).written)
        } else {
            let style = Style.forStandardOutput()
            for finding in findings {
                let text = Escaped("\(finding)", limit: 4096).description
                print(finding.severity == .error ? style.bad(text) : text)
            }
            if findings.isEmpty { print(style.good("✓ ") + "nothing found") }
        }
        if findings.contains(where: { $0.severity == .error }) { throw PolicyFailure.status }
        if !findings.isEmpty { throw ExitCode.failure }
    }
}
