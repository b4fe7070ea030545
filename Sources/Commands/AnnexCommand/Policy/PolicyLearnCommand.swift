import AnnexLinux
import AnnexPolicy
import AnnexLaunch
import ArgumentParser

/// `annex policy learn`: runs a trusted program and proposes a policy that allows what the program did.
struct PolicyLearnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn", abstract: "Run a program that you trust, and propose a policy from what it did.",
        usage: "annex policy learn --i-trust-this-program [OPTION…] [--] PROGRAM [ARGUMENT…]",
        discussion: """
            The run is nearly bare: it has process and user namespaces of its own and limits, and nothing keeps it from \
            the files and the network that you may use. So it wants --i-trust-this-program. The proposal goes to \
            standard output, what the program writes to standard error; run it on everything that it should be able to \
            do, and read what comes out before it is used.

            EXAMPLES
              annex policy learn --i-trust-this-program -- jq . in.json > learned.yaml
              annex policy learn --i-trust-this-program --name thumbs -- convert in.png out.jpg > thumbs.yaml
              annex policy lint thumbs.yaml && annex policy explain ./thumbs.yaml

            EXIT STATUS
              0   the policy is on standard output
              1   the program failed, so that its run may be less than what it needs; the policy is there all the same
              2   it could not be run, or no policy could be made of it
              64  the command line is not understood, or --i-trust-this-program is missing
            """)

    @Flag(help: "You trust the program as if you ran it yourself: the run protects nothing from it.")
    var iTrustThisProgram = false

    @Option(help: "The policy's name.")
    var name = "learned"

    @Option(help: "Ended when it runs longer, in seconds.")
    var timeout = 600.0

    @Argument(parsing: .captureForPassthrough, help: "The program and its arguments.")
    var command: [String]

    private var program: [String] { command.first == "--" ? Array(command.dropFirst()) : command }

    func validate() throws {
        // The parser passes everything after the options to the program, so that these two are handled here.
        if let first = command.first, first == "--help" || first == "-h" { throw CleanExit.helpRequest(self) }
        guard !program.isEmpty else {
            throw ValidationError("name the program: annex policy learn --i-trust-this-program -- PROGRAM [ARGUMENT…]")
        }
        if let first = command.first, first != "--", first.hasPrefix("-") {
            throw ValidationError(
                "unknown option \(Escaped(first)); options stand before the program: annex policy learn --help")
        }
        guard iTrustThisProgram else {
            throw ValidationError(
                "the run protects nothing from the program: say --i-trust-this-program if you would run it bare")
        }
        guard timeout > 0, timeout < 1e9 else { throw ValidationError("--timeout: more than 0 seconds") }
    }

    func run() async throws {
        let result = try await recorded()
        for line in (result.output + result.errors).split(separator: UInt8(ascii: "\n")) {
            StandardError.print("\(Escaped(line, limit: 4096))")
        }
        let proposal = try PolicyFailure.reported {
            guard var recording = result.recording else { throw PolicyError("nothing was recorded") }
            for path in StartedProgram.files(program[0]) { recording.add(program: path) }
            return try PolicyProposal(from: recording, program: program.joined(separator: " "), named: name)
        }
        print(proposal.text, terminator: "")
        if !proposal.withheld.isEmpty {
            StandardError.print(
                "annex: \(proposal.withheld.count) things were seen and left out; the policy lists them")
        }
        guard result.report.reason == .exited, result.report.exitCode == 0 else {
            StandardError.print(
                "annex: the program failed (\(result.report.reason.rawValue)): a good run may need more")
            throw ExitCode.failure
        }
    }

    private func recorded() async throws -> SandboxRunResult {
        do {
            var sandbox = Sandbox(policy: try .shipped(named: "tool"))
            sandbox.denials = .learn
            sandbox.tighten(time: .seconds(timeout))
            var started = SandboxProgram(program[0], Array(program.dropFirst()))
            started.input = .inherited
            return try await sandbox.run(started)
        } catch {
            StandardError.print("annex: not started: \(Escaped("\(error)", limit: 4096))")
            throw PolicyFailure.status
        }
    }
}
