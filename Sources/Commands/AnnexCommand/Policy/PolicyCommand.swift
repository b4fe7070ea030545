import ArgumentParser

/// `annex policy`: the commands about policies. Only the tests need a sandbox.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Read, compare, test and write policies: what untrusted code may do.",
        discussion: """
            A policy is named by its shipped name (`compute`) or by the path of a YAML file (`./mine.yaml`, whose \
            includes are looked for beside it). Docs/Guide/Policies.md explains the language.

            EXAMPLES
              annex policy list                              what there is
              annex policy explain compute ptrace            may it, by which line, in which layer, with which answer
              annex policy explain tool /etc/passwd
              annex policy diff tool compute                 what one allows beyond the other
              annex policy lint mine.yaml                    mistakes, and lines that open more than they seem to
              annex policy test                              what is expected of them, also live
              annex policy learn --i-trust-this-program -- jq . in.json > jq.yaml
              annex policy import docker.json > mine.yaml    a container's seccomp profile, deciding the same

            EXIT STATUS
              0   done; for explain: allowed; for diff: no difference; for lint and test: nothing found
              1   for explain: refused; for diff: they differ; for lint and test: something found
              2   a policy or another file cannot be read or used; the place and the remedy are printed
              64  the command line is not understood
            """,
        subcommands: [
            PolicyListCommand.self, PolicyShowCommand.self, PolicyLintCommand.self, PolicyExplainCommand.self,
            PolicyDiffCommand.self, PolicyTestCommand.self, PolicyImportCommand.self, PolicyLearnCommand.self,
        ])
}
