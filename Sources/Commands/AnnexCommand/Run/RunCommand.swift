import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// `annex run`: runs any program of this machine under any policy.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program in a sandbox.",
        usage: "annex run [OPTION…] [--] PROGRAM [ARGUMENT…]",
        discussion: """
            The program sees the files that its policy grants and those that --read and --write add, under their usual \
            paths. It sees nothing else of this machine. Unless the policy grants them, it has no network, no \
            capabilities, and no other processes. If a program fails because something was denied, the last line \
            usually names the option that allows it. A note names files that the program may not execute, also after a \
            success. What the program writes in its own /tmp is gone afterwards.

            EXAMPLES
              annex run -- python3 -c 'print(2 + 2)'
              annex run --read photo.png --write out -- convert photo.png out/photo.jpg
              annex run --memory 64M --timeout 10 --report end.json -- ./a.out
              annex run --execute . -- ./configure      runs what lies in this directory
              annex run --write-execute . -- make test  also runs what it builds there
              annex run --allow network -- curl -sS https://example.org
              annex run --read . --allow jit -- node main.js
              annex run --ask -- ./build.sh             asks for what it lacks
              annex run -- bash                         with a terminal of its own

            ALLOWANCES
              debug     debuggers and profilers: gdb, strace, py-spy
              ipc       System V: shared memory, semaphores, messages: PostgreSQL, fakeroot
              jit       just-in-time compilers: node, java, mono
              loopback  a server and its client in this sandbox: jupyter, test servers
              network   other machines, and servers of this one
              proc      the machine's processors, memory and load: free, chromium
              sockets   sockets and named pipes between its processes: gpg, gunicorn
            Chromium and LibreOffice need jit, proc and sockets. A sanitizer needs --memory 20T, because it reserves \
            addresses. If a program hangs, run it again with --timeout 15: the last line then names a call \
            that was denied.

            EXIT STATUS
              N      the status of the program, which ended by itself
              128+N  signal N ended the program, or arrived while its remaining output waited to be read
              125    Annex ended the program, its output was not read in time, or its report could not be written; stderr \
            gives the reason
              126    the program could not be started; stderr names the step, the cause and the remedy
              127    there is no such program
              64     the command line is not understood
            """)

    @Option(help: "The policy, by its name or by the path of its file (`./mine.yaml`).")
    var policy = "tool"

    @Option(
        help: ArgumentHelp(
            "A directory of policies. Each replaces the shipped policy of the same name.", valueName: "dir"),
        completion: .directory)
    var policies: String?

    @Option(
        help: ArgumentHelp(
            "Add an allowance to the policy: \(Self.allowanceNames). May be given more than once.", valueName: "name"))
    var allow: [String] = []

    @Option(
        help: ArgumentHelp(
            "Add a line of a policy's list `calls:`, as a hint shows it. May be given more than once.",
            valueName: "line"))
    var allowLine: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set a limit of the policy, higher or lower: file=4G, processes=1000, scratch=2G. May be given more than once.",
            valueName: "name=value"))
    var limit: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most memory, for example 64M. Short for --limit memory=….", valueName: "bytes"),
        transform: ByteSize.init(option:))
    var memory: ByteSize?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End the program if its launch takes longer.", valueName: "seconds"))
    var launchLimit: Double?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("End the program if it runs longer.", valueName: "seconds"))
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "Let the program read this file or directory. May be given more than once.", valueName: "path"),
        completion: .file())
    var read: [String] = []

    @Option(
        help: ArgumentHelp(
            "Let the program change this file or everything in this directory. May be given more than once.",
            valueName: "path"),
        completion: .file())
    var write: [String] = []

    @Option(
        help: ArgumentHelp(
            "Let the program read and execute this file or everything in this directory. May be given more than once.",
            valueName: "path"),
        completion: .file())
    var execute: [String] = []

    @Option(
        help: ArgumentHelp(
            "Like --write. The program can also execute files that it wrote there or in its own /tmp. The report names both.",
            valueName: "dir"),
        completion: .directory)
    var writeExecute: [String] = []

    @Option(
        help: ArgumentHelp(
            "Set a variable: NAME=VALUE, or NAME with its present value. May be given more than once.",
            valueName: "name"))
    var env: [String] = []

    @Option(
        help: ArgumentHelp(
            "The working directory: one that was handed over, or is inside or above such a place. Default: the present one, which is empty if it was not.",
            valueName: "dir"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "The private directory of the program, if the policy keeps one from run to run.", valueName: "dir"),
        completion: .directory)
    var privateDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Do without this layer if the machine cannot give it: \(Self.layerNames). The report lists it.",
            valueName: "layer"
        ))
    var waive: [SandboxLayer] = []

    @Flag(help: "Report denied paths too, and print every denial at the end. The program runs slower.")
    var explain = false

    @Flag(
        help:
            "If the program fails and an option can mend that, ask whether to run it again with that option. Needs a terminal."
    )
    var ask = false

    @Option(help: ArgumentHelp("Write the whole report to this file as JSON.", valueName: "file"), completion: .file())
    var report: String?

    @Argument(
        parsing: .captureForPassthrough,
        help: "The program and its arguments. Words after the program are never options of this command.")
    var command: [String]

    private static let allowanceNames = PolicyLibrary.shipped.allowances.joined(separator: ", ")
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
        options.execute = execute
        options.writeExecute = writeExecute
        options.allow = allow
        options.allowLine = allowLine
        options.limit = limit
        options.env = env
        options.directory = directory
        options.privateDirectory = privateDirectory
        options.waive = waive
        options.explain = explain
        options.asks = ask
        options.report = report
        options.program = program
        return options
    }

    func validate() throws {
        // `--help` and `-h` are handled here, because the parser would pass them to the program.
        if let first = command.first, first == "--help" || first == "-h" { throw CleanExit.helpRequest(self) }
        guard !program.isEmpty else {
            throw ValidationError("name the program to run: annex run -- PROGRAM [ARGUMENT…]")
        }
        // If a program's name begins with a hyphen, it must come after `--`.
        if let first = command.first, first != "--", first.hasPrefix("-") {
            throw ValidationError(
                "unknown option \(Escaped(first)); options come before the program: annex run --help")
        }
        for (name, seconds) in [("launch-limit", launchLimit), ("timeout", timeout)] {
            if let seconds, !RunOptions.isUsable(seconds) {
                throw ValidationError("--\(name) must be more than 0 and at most 1000000 seconds")
            }
        }
    }

    /// Ends the process itself. If this function threw an exit status, the parser would first write its whole help
    /// text.
    func run() throws {
        Glibc.exit(AskedRuns(options).run())
    }
}
