internal import AnnexDoctor
import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexPolicyTools
import ArgumentParser
import FoundationEssentials
import Glibc

/// `annex doctor`: prints the sandbox features that this machine has, and the remedy for each missing one.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Show which sandbox features this machine has, and how to get each missing one.",
        discussion: """
            The command tries every feature in a process of its own, and launches a small program under every shipped \
            policy. It prints the cause and the remedy of each fault.

            EXAMPLES
              annex doctor                            the faults, and the state of every policy
              annex doctor --all                      also the features that work
              annex doctor --json | jq .outcome       the result in one word, for a script
              annex doctor --clean                    remove what killed brokers left behind
              annex doctor --print warden | sudo install -D -m 755 /dev/stdin /usr/libexec/annex/annex-warden
              annex doctor --print apparmor-profile | sudo tee /etc/apparmor.d/annex-warden
              annex doctor --print seccomp-profile --from default.json > annex.json
              docker run --security-opt seccomp=annex.json …

            EXIT STATUS
              0   every policy runs, with every layer and every limit enforced
              1   at least one policy cannot run on this machine as it is
              2   every policy runs, but some protection is weaker: for example, memory is only watched
              64  the command line is not understood
            """)

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @Flag(help: "Show the features that work, too.")
    var all = false

    @Flag(help: "Only remove what killed brokers left behind: control groups, and folders of earlier examinations.")
    var clean = false

    @Option(help: "Only write this to standard output: warden (the program), apparmor-profile or seccomp-profile.")
    var print: Printable?

    @Option(
        help: """
            The container engine's own seccomp profile, to which --print seccomp-profile adds the calls of the warden. \
            Default: the one of Podman, where it is installed.
            """, completion: .file(extensions: ["json"]))
    var from: String?

    enum Printable: String, CaseIterable, ExpressibleByArgument {
        case warden
        case profile = "apparmor-profile"
        case filter = "seccomp-profile"
    }

    func validate() throws {
        if from != nil, print != .filter { throw ValidationError("--from is for --print seccomp-profile") }
    }

    func run() throws {
        if let print { return try write(print) }
        if clean { return sweep() }
        do throws(SandboxError) {
            // Inside a sandbox, the trials of the features would end this process. So the command refuses to run there.
            try Confinement.rejectNesting()
        } catch {
            StandardError.print("annex: \(error)")
            throw ExitCode(1)
        }
        var diagnosis = Doctor.examine()
        // Without a policy that runs, the agent's start would only repeat the causes above.
        if diagnosis.outcome != .unable { diagnosis.findings += TransferExamination.findings() }
        if json {
            try printJSON(diagnosis)
        } else {
            DoctorPrinter(style: .forStandardOutput(), showsAll: all).show(diagnosis)
        }
        switch diagnosis.outcome {
        case .ready: break
        case .unable: throw ExitCode(1)
        case .weaker: throw ExitCode(2)
        }
    }

    private func write(_ what: Printable) throws {
        switch what {
        case .warden:
            let program = try Doctor.warden()
            try Descriptor(owning: dup(STDOUT_FILENO)).writeAll(program)
        case .profile: Swift.print(Doctor.appArmorProfile, terminator: "")
        case .filter:
            try PolicyFailure.reported {
                let file = try engineProfile()
                Swift.print(try WidenedProfile(json: FileText.bytes(of: file, limit: 4 << 20), file: file).text)
            }
        }
    }

    /// The places where the packages of container engines install their profile.
    private static let engineProfiles = ["/etc/containers/seccomp.json", "/usr/share/containers/seccomp.json"]

    private func engineProfile() throws -> String {
        if let file = from ?? Self.engineProfiles.first(where: { access($0, F_OK) == 0 }) { return file }
        throw PolicyError(
            "no container engine's seccomp profile is installed: name one by --from FILE. Docker carries its profile in its "
                + "program, and publishes it as seccomp/default.json in github.com/moby/profiles")
    }

    private func sweep() {
        let removed = Doctor.clean()
        if json { return Swift.print(JSON.object([.init("removed", value: .texts(removed))]).line) }
        for path in removed { Swift.print("removed \(PlainText.shown(path))") }
        if removed.isEmpty { Swift.print("nothing was left behind") }
    }

    private func printJSON(_ diagnosis: Diagnosis) throws {
        Swift.print(try EncodedJSON.text(diagnosis))
    }
}
