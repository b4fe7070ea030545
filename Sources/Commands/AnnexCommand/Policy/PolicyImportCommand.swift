import AnnexPolicy
internal import AnnexPolicyTools
import ArgumentParser
import Glibc

/// `annex policy import`: converts a container's seccomp profile to a policy.
struct PolicyImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Convert a seccomp profile of Docker, Podman or OCI to a policy.",
        discussion: """
            The policy answers every call in the same way as libseccomp does under the profile. The command checks this \
            before it prints the policy, for every call number and every edge of every comparison. An entry that no policy \
            can express is an error with line, column and JSON path. Notes go to standard error, and into comments of the \
            policy.

            EXAMPLES
              annex policy import default.json > docker.yaml
              annex policy import default.json --cap CAP_SYS_PTRACE --cap CAP_SYS_CHROOT --name debug
              annex policy import default.json --kernel 4.19
              annex policy import default.json --json | jq -r .policy

            EXIT STATUS
              0   the policy is on standard output
              2   the profile cannot be read, or a policy cannot express it
            """)

    @Argument(help: "The profile, a JSON file.", completion: .file(extensions: ["json"]))
    var file: String

    @Option(help: "The policy's name.")
    var name = "imported"

    @Option(
        name: .customLong("cap"),
        help: "A capability of the container, for entries that depend on it. May be given more than once.")
    var capabilities: [String] = []

    @Option(help: "The kernel version, for entries that depend on it. Default: the running kernel's.")
    var kernel: String?

    @Flag(help: "Print JSON instead of text: the text of the policy, and the notes.")
    var json = false

    func run() throws {
        try PolicyFailure.reported {
            let bytes = try FileText.bytes(of: file, limit: 4 << 20)
            let short = file.split(separator: "/").last.map(String.init) ?? file
            let imported = try ImportedProfile(json: bytes, file: short, name: name, world: try world())
            if json {
                let members = [
                    JSON.Member("name", value: .text(name)), .init("policy", value: .text(imported.text)),
                    .init("notes", value: .texts(imported.notes)),
                ]
                return print(JSON.object(members).written)
            }
            for note in imported.notes { StandardError.print("annex: \(note)") }
            print(imported.text, terminator: "")
        }
    }

    private func world() throws -> ProfileWorld {
        let version = kernel ?? Self.runningKernel()
        guard let kernel = ProfileWorld.Kernel(version) else {
            throw ValidationError("--kernel must be a version such as 6.1")
        }
        let names = capabilities.map { $0.hasPrefix("CAP_") ? $0 : "CAP_\($0)" }
        return ProfileWorld(capabilities: Set(names), kernel: kernel)
    }

    private static func runningKernel() -> String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: &name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
