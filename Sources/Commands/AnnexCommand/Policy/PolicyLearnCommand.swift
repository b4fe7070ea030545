import AnnexLaunch
import AnnexLinux
import AnnexNames
import AnnexPolicy
internal import AnnexPolicyTools
internal import AnnexSandbox
import ArgumentParser
import Glibc

/// `annex policy learn`: runs a trusted program and proposes a policy that allows what the program has done.
struct PolicyLearnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn", abstract: "Run a program that you trust, and propose a policy from what it did.",
        usage: "annex policy learn --i-trust-this-program [OPTION…] [--] PROGRAM [ARGUMENT…]",
        discussion: """
            The run protects almost nothing. The program has limits and its own process and user namespaces, but it can \
            use the files and the network that you may use. The command therefore needs --i-trust-this-program.

            The proposed policy goes to standard output, and the output of the program to standard error. Run the program \
            on every task that the policy must allow, and read the policy before you use it.

            EXAMPLES
              annex policy learn --i-trust-this-program -- jq . in.json > learned.yaml
              annex policy learn --i-trust-this-program --name thumbs -- convert in.png out.jpg > thumbs.yaml
              annex policy lint thumbs.yaml && annex policy explain ./thumbs.yaml

            EXIT STATUS
              0   the policy is on standard output
              1   the program failed, so its run may show less than it needs; the policy is printed all the same
              2   the program could not be run, or no policy could be made from its run
              64  the command line is not understood, or --i-trust-this-program is missing
            """)

    @Flag(help: "Confirm that you would run this program without a sandbox.")
    var iTrustThisProgram = false

    @Option(help: "The policy's name.")
    var name = "learned"

    @Option(help: "End the program if it runs longer, in seconds.")
    var timeout = 600.0

    @Argument(parsing: .captureForPassthrough, help: "The program and its arguments.")
    var command: [String]

    private var program: [String] { command.first == "--" ? Array(command.dropFirst()) : command }

    func validate() throws {
        // The parser passes everything after the options to the program. So these two options are handled here.
        if let first = command.first, first == "--help" || first == "-h" { throw CleanExit.helpRequest(self) }
        guard !program.isEmpty else {
            throw ValidationError("name the program: annex policy learn --i-trust-this-program -- PROGRAM [ARGUMENT…]")
        }
        if let first = command.first, first != "--", first.hasPrefix("-") {
            throw ValidationError(
                "unknown option \(Escaped(first)); options come before the program: annex policy learn --help")
        }
        guard iTrustThisProgram else {
            throw ValidationError(
                "the run protects nothing from the program: add --i-trust-this-program if you would run it without a sandbox"
            )
        }
        guard timeout > 0, timeout < 1e9 else {
            throw ValidationError("--timeout must be more than 0 and less than 1e9 seconds")
        }
    }

    func run() async throws {
        let result = try await recorded()
        for line in (result.output + result.errors).split(separator: UInt8(ascii: "\n")) {
            StandardError.print("\(Escaped(line, limit: 4096))")
        }
        let proposal = try PolicyFailure.reported {
            guard var recording = result.recording else {
                throw PolicyError("the calls of the program were not recorded")
            }
            for path in StartedProgram.files(program[0]) { recording.add(program: path) }
            let hosts = recording.network == .hosts ? LearntHosts.rules(of: recording) : []
            return try PolicyProposal(
                from: recording, reaching: hosts, program: program.joined(separator: " "), named: name)
        }
        print(proposal.text, terminator: "")
        if !proposal.withheld.isEmpty {
            StandardError.print(
                "annex: \(proposal.withheld.count) things that the program did are left out of the policy; its comments list them"
            )
        }
        guard result.report.reason == .exited, result.report.exitCode == 0 else {
            StandardError.print(
                "annex: the program failed (\(result.report.reason.rawValue)): a successful run may need more")
            throw ExitCode.failure
        }
    }

    private func recorded() async throws -> SandboxRunResult {
        do {
            var sandbox = Sandbox(policy: try .shipped(named: "tool"))
            sandbox.denials = .learn
            sandbox.tighten(time: .seconds(timeout))
            var started = SandboxProgram(program[0], arguments: Array(program.dropFirst()))
            started.input = .inherited
            return try await sandbox.run(started)
        } catch {
            StandardError.print("annex: not started: \(Escaped("\(error)", limit: 4096))")
            throw PolicyFailure.status
        }
    }
}

/// The files that the kernel executes when it starts a program. They cannot be learned from the program's own system
/// calls.
enum StartedProgram {
    /// The path of the program and, if the program is a script, the path of its interpreter. If one of these paths
    /// leads over links, the result also has the paths to which the links lead. A relative path is returned only in its
    /// absolute form, with all links resolved. A name without a slash is first looked up in `PATH`. The result does not
    /// contain the dynamic linker or the interpreter of an interpreter.
    static func files(_ name: String) -> [String] {
        guard let path = located(name) else { return [] }
        var files = [path]
        if let interpreter = interpreter(of: path) { files.append(interpreter) }
        let lookup = HostLookup { _ in false }
        return Array(Set(files + files.flatMap { lookup.trail($0) })).sorted()
    }

    private static func located(_ name: String) -> String? {
        if name.contains("/") { return name.hasPrefix("/") ? name : absolute(name) }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    private static func absolute(_ name: String) -> String? {
        guard let found = realpath(name, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The interpreter that the first line names after `#!`; nil if the file has no such line.
    private static func interpreter(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var start = [UInt8](repeating: 0, count: 256)
        let count = read(file, &start, start.count)
        guard count > 2, start[0] == 0x23, start[1] == 0x21 else { return nil }
        // As in the kernel, the line also ends at a NUL byte, and tabs also separate words.
        let line = start[2..<count].prefix { $0 != 0x0A && $0 != 0 }
        return line.split { $0 == 0x20 || $0 == 0x09 }.first.map { String(decoding: $0, as: UTF8.self) }
    }
}
