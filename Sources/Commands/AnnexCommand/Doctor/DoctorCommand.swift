import AnnexLinux
import AnnexLaunch
import ArgumentParser
import FoundationEssentials
import Glibc

/// `annex doctor`: what this machine offers to sandboxes, and the remedy if that is too little.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say what this machine offers to sandboxes, each lack with its cause and remedy.",
        discussion: """
            Nothing is guessed: every feature is tried in a process of its own, and a small program is launched under \
            every policy.

            EXAMPLES
              annex doctor                            what matters, in a table
              annex doctor --all                      every single trial too
              annex doctor --json | jq .outcome       for a program
              annex doctor --clean                    remove what brokers that were killed left behind
              annex doctor --print warden | sudo install -D -m 755 /dev/stdin /usr/libexec/annex/annex-warden
              annex doctor --print apparmor-profile | sudo tee /etc/apparmor.d/annex-warden

            EXIT STATUS
              0   every policy runs, with every layer and every limit enforced
              1   some policy cannot run here as it is
              2   every policy runs, some of it weaker than it could be: memory watched, for example
              64  the command line is not understood
            """)

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    @Flag(help: "Show what works, too.")
    var all = false

    @Flag(help: "Only remove what killed brokers left: control groups, folders of earlier examinations.")
    var clean = false

    @Option(help: "Only print this to standard output: warden (the program) or apparmor-profile.")
    var print: Printable?

    enum Printable: String, CaseIterable, ExpressibleByArgument {
        case warden
        case profile = "apparmor-profile"
    }

    func run() throws {
        if let print { return try write(print) }
        if clean { return sweep() }
        let diagnosis = Doctor.examine()
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
        }
    }

    private func sweep() {
        let removed = Doctor.clean()
        if json {
            let list = (try? JSONEncoder().encode(["removed": removed])) ?? Data()
            return Swift.print(String(decoding: list, as: UTF8.self))
        }
        for path in removed { Swift.print("removed \(path)") }
        if removed.isEmpty { Swift.print("nothing was left behind") }
    }

    private func printJSON(_ diagnosis: Diagnosis) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(diagnosis), as: UTF8.self))
    }
}
