import AnnexLinux
import AnnexPolicy
import AnnexLaunch
import ArgumentParser
import Glibc

/// `annex run`: runs any program of this machine under any policy.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program in a sandbox.",
        usage: "annex run [OPTION…] [--] PROGRAM [ARGUMENT…]",
        discussion: """
            The program sees what its policy grants and what --read and --write hand it, under the same paths as here, \
            and nothing else of this machine. It has no network, no capabilities and no other processes unless the \
            policy says so.

            EXAMPLES
              annex run -- python3 -c 'print(2 + 2)'
              annex run --read photo.png --write out -- convert photo.png out/photo.jpg
              annex run --memory 64M --timeout 10 --report end.json -- ./a.out
              annex run -- bash                         with a terminal of its own

            EXIT STATUS
              N      the program's own
              128+N  a signal of its own ended it, or N came while nobody took its output
              125    Annex ended it, or its output was not taken in time; the first line on stderr says why
              126    it could not be started; stderr says at which step, why, and what helps
              127    there is no such program
              64     the command line is not understood
            """)

    @Option(help: "The policy, by its name or by the path of its file (`./mine.yaml`).")
    var policy = "tool"

    @Option(
        help: ArgumentHelp("A directory of policies; one there takes the place of a shipped one.", valueName: "dir"),
        completion: .directory)
    var policies: String?

    @Option(help: ArgumentHelp("At most so much memory, as 64M; never more than the policy's.", valueName: "bytes"))
    var memory: ByteSize?

    @Option(help: ArgumentHelp("Ended when it does not run by then.", valueName: "seconds"))
    var launchLimit: Double?

    @Option(help: ArgumentHelp("Ended when it runs longer.", valueName: "seconds"))
    var timeout: Double?

    @Option(
        help: ArgumentHelp("It may read this file or directory. May be given more than once.", valueName: "path"),
        completion: .file())
    var read: [String] = []

    @Option(
        help: ArgumentHelp(
            "It may change this file, or anything in this directory. May be given more than once.", valueName: "path"),
        completion: .file())
    var write: [String] = []

    @Option(help: ArgumentHelp("NAME=VALUE, or NAME with the value that it has here.", valueName: "name"))
    var env: [String] = []

    @Option(
        help: ArgumentHelp("Its working directory; this one otherwise, where it can be seen inside.", valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "The directory that is its private one, where the policy keeps that from run to run.", valueName: "dir"),
        completion: .directory)
    var privateDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Go without this layer where it cannot be had: \(Self.layerNames). The report lists it.", valueName: "layer"
        ))
    var waive: [SandboxLayer] = []

    @Flag(help: "Report refused paths too, and every refusal at the end. The program runs slower.")
    var explain = false

    @Option(help: ArgumentHelp("Write the whole report there as JSON.", valueName: "file"), completion: .file())
    var report: String?

    @Argument(
        parsing: .captureForPassthrough,
        help: "The program and its arguments; what follows it is never taken for an option of this command.")
    var command: [String]

    private static let layerNames = SandboxLayer.allCases.map(\.rawValue).joined(separator: ", ")

    /// The program and its arguments, without the `--` before them.
    private var program: [String] { command.first == "--" ? Array(command.dropFirst()) : command }

    var options: RunOptions {
        var options = RunOptions()
        options.policy = policy
        options.policies = policies
        options.memory = memory
        options.launchLimit = launchLimit
        options.timeout = timeout
        options.read = read
        options.write = write
        options.env = env
        options.directory = directory
        options.privateDirectory = privateDirectory
        options.waive = waive
        options.explain = explain
        options.report = report
        options.program = program
        return options
    }

    func validate() throws {
        // The parser passes everything after the options to the program, so that these two are handled here.
        if let first = command.first, first == "--help" || first == "-h" { throw CleanExit.helpRequest(self) }
        guard !program.isEmpty else {
            throw ValidationError("name the program to run: annex run -- PROGRAM [ARGUMENT…]")
        }
        // A program whose name begins with a hyphen must come after `--`.
        if let first = command.first, first != "--", first.hasPrefix("-") {
            throw ValidationError(
                "unknown option \(Escaped(first)); options stand before the program: annex run --help")
        }
        for (name, seconds) in [("launch-limit", launchLimit), ("timeout", timeout)] {
            if let seconds, !RunOptions.isUsable(seconds) { throw ValidationError("--\(name): more than 0 seconds") }
        }
    }

    func run() throws {
        throw ExitCode(ProgramRun(options).run())
    }
}
