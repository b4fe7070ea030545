import AnnexLinux
import ArgumentParser

/// `annex policy`: the commands about policies. Only `test` and `learn` launch sandboxes.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Read, compare, test and write policies: what untrusted code may do.",
        discussion: """
            Name a shipped policy by its name (`compute`), and a policy of your own by the path of its YAML file \
            (`./mine.yaml`). Either may be followed by entitlements, each after a `+`. Policies that a file includes are searched beside it first. Docs/Guide/Policies.md explains \
            the language.

            EXAMPLES
              annex policy list                              list all policies
              annex policy explain compute ptrace            show whether a call is allowed, and by which line
              annex policy explain tool /etc/passwd          show whether a path can be read
              annex policy diff tool compute                 show what one policy allows beyond the other
              annex policy lint mine.yaml                    find mistakes, and lines that allow more than they seem to
              annex policy test                              compare every policy with its expectations
              annex policy learn --i-trust-this-program -- jq . in.json > jq.yaml
              annex policy import docker.json > mine.yaml    convert a container's seccomp profile

            EXIT STATUS
              0   done; for explain: allowed; for diff: no difference; for lint and test: nothing was found
              1   for explain: denied; for diff: the policies differ; for lint and test: something was found
              2   a policy or another file cannot be read or used; the place and the remedy are printed
              64  the command line is not understood
            """,
        subcommands: [
            PolicyListCommand.self, PolicyShowCommand.self, PolicyLintCommand.self, PolicyExplainCommand.self,
            PolicyDiffCommand.self, PolicyTestCommand.self, PolicyImportCommand.self, PolicyLearnCommand.self,
        ])
}

/// Performs a command's work. If an input cannot be read or used, prints a line with the place and the reason, and ends
/// the command with exit status 2.
enum PolicyFailure {
    static let status = ExitCode(2)

    static func reported<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let exit as ExitCode {
            throw exit
        } catch let mistake as ValidationError {
            throw mistake
        } catch {
            StandardError.print("annex: \(Escaped("\(error)", limit: 4096))")
            throw status
        }
    }
}
