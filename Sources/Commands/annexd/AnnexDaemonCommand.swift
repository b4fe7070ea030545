import AnnexBroker
import AnnexBrokerAPI
import AnnexDaemon
import AnnexLinux
import AnnexModel
import ArgumentParser
internal import CAnnexCommand

/// The daemon's command line.
@main
struct AnnexDaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annexd",
        abstract: "Run extensions in sandboxes for every host that connects: one daemon for many programs.",
        discussion: """
            A host connects with one line, `AnnexHost.connect()`. The rest of its code is the same as with a broker of \
            its own. Apps that are installed through the daemon stay installed. Every user has a separate broker, with \
            separate apps and limits, and cannot reach those of other users.

            EXAMPLES
              annexd                                   your own daemon, at $XDG_RUNTIME_DIR/annex/annexd.socket
              annexd --socket /tmp/a/s --state /tmp/a  a second daemon of yours
              sudo annexd --system                     the machine's daemon, at /run/annex/annexd.socket
              annexd --limit running=512 --limit apps=16       change two limits; Docs/Guide/Daemon.md lists all
              annexd --points /etc/annex/points        extension points of your own beside the built-in ones
              systemctl --user enable --now annexd.socket      let the first host that connects start the daemon
              sudo annexd --system --forget-user 1000          remove what the machine's daemon keeps for a user

            SIGNALS
              SIGTERM, SIGINT   launch nothing more, end all extensions (reason brokerShutdown), and exit with 0
              SIGHUP            end all extensions in the same way, then execute the program's file again with the same
                                socket. Hosts that connect meanwhile wait and are not rejected. So a new version takes over.
                                If a point or a policy of yours is wrong, the daemon logs the mistake and goes on as before

            EXIT STATUS
              0   the daemon ended on request
              1   the daemon cannot listen, cannot keep its state, or cannot use a point or a policy of yours; the
                  reason is printed
              64  the command line is not understood
            """,
        version: BundleVersion.annex.text)

    @Option(help: ArgumentHelp("The path of the socket to listen on.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("The folder for installed apps.", valueName: "folder"))
    var state: String?

    @Flag(help: "Serve every user of this machine, each with a separate broker and apps. For root.")
    var system = false

    @Option(
        help: ArgumentHelp(
            "Change a limit: a number for each user, or a time in seconds. May be given more than once.",
            valueName: "name=number"),
        transform: LimitArgument.init)
    var limit: [LimitArgument] = []

    @Option(
        help: ArgumentHelp(
            "A folder of extension points of your own: one file IDENTIFIER.yaml for each.", valueName: "folder"))
    var points: String?

    @Option(
        help: ArgumentHelp(
            "A folder of policies that the points may name. Each replaces the shipped policy of the same name.",
            valueName: "folder"))
    var policies: String?

    @Option(
        help: ArgumentHelp(
            "The program that moves the bytes of background transfers. Default: annex-transfer beside this program.",
            valueName: "path"))
    var transferProgram: String?

    @Option(
        help: ArgumentHelp(
            "Certificates of the authorities that vouch for the servers of transfers, in PEM form.", valueName: "file"))
    var transferAuthorities: String?

    @Option(
        help: ArgumentHelp(
            "Remove the apps and reports of a user, and end. No host of the user may run; the daemon may.",
            valueName: "uid"))
    var forgetUser: UInt32?

    @Flag(help: "Log more: each launch, each end of an extension, and each end of a connection with its cause.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "End no extension only because of a time limit before this time.", valueName: "seconds", visibility: .hidden
        ))
    var patience = 0

    @Flag(help: ArgumentHelp("Never delay the launch of an extension that failed before.", visibility: .hidden))
    var neverHoldBack = false

    func validate() throws {
        guard forgetUser == nil || system else {
            throw ValidationError(
                "only the machine's daemon keeps data of several users: add --system to --forget-user UID")
        }
    }

    func run() throws {
        var options = DaemonOptions(
            state: try Self.absolute(state ?? (system ? DaemonPaths.systemState : DaemonPaths.userState)),
            isSystem: system)
        if let forgetUser { return try forget(forgetUser, options: options) }
        try options.read(points: points, policies: policies)
        options.wishes.patience = .seconds(patience)
        options.wishes.holdsBack = !neverHoldBack
        options.wishes.reports = .standard
        options.transferProgram = try transferProgram.map(Self.absolute) ?? Self.neighbour("annex-transfer")
        options.transferAuthorities = try transferAuthorities.map(Self.absolute)
        for limit in limit { options.limits.set(limit.name, to: limit.number) }
        let path = try Self.absolute(socket ?? (system ? DaemonPaths.systemSocket : DaemonPaths.userSocket))
        if path != DaemonPaths.systemSocket { options.socket = path }
        let end = DaemonLife(options, socket: path, isVerbose: verbose).run()
        if end != 0 { throw ExitCode(end) }
    }

    private func forget(_ user: UInt32, options: DaemonOptions) throws {
        let removed = try ForgottenUser.remove(user, from: options)
        for folder in removed { print("removed \(folder)") }
        if removed.isEmpty { print("the daemon keeps nothing for user \(user)") }
    }

    /// The path of a program in the folder of this program.
    private static func neighbour(_ name: String) throws -> String {
        let own = try Descriptor.reference(to: "/proc/self/exe").path()
        return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/" + name
    }

    /// Makes a path absolute. A relative path begins at the working directory of the program.
    private static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        return try Descriptor.directory("/proc/self").linkTarget("cwd") + "/" + path
    }
}

/// One of the daemon's limits, as an argument of the command line.
struct LimitArgument {
    let name: DaemonLimits.Name
    let number: Int

    init(_ word: String) throws {
        let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let name = DaemonLimits.Name(rawValue: parts[0]) else {
            let known = DaemonLimits.Name.allCases.map(\.rawValue).sorted().joined(separator: ", ")
            throw ValidationError("--limit must be name=number; the names are: \(known)")
        }
        // No machine supports a larger number, so it is a typing error.
        guard let number = Int(parts[1]), (1...1 << 40).contains(number) else {
            throw ValidationError("\(name.rawValue) must be a whole number from 1 to 2^40")
        }
        self.name = name
        self.number = number
    }
}
