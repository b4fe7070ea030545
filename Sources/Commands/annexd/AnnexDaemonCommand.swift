import AnnexBroker
import AnnexBrokerAPI
import AnnexDaemon
import AnnexLinux
import ArgumentParser

/// The daemon's command line.
@main
struct AnnexDaemonCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annexd",
        abstract: "Runs extensions in sandboxes for every host that connects: one broker for many programs.",
        discussion: """
            A host connects with one line, `AnnexHost.connect()`; everything else is as with a broker of its own. Apps \
            that are installed through the daemon stay installed. Every user has a broker, apps and limits of his own, \
            and nothing of one is within another's reach.

            EXAMPLES
              annexd                                   your own daemon, at $XDG_RUNTIME_DIR/annex/annexd.socket
              annexd --socket /tmp/a/s --state /tmp/a  another one, beside it
              sudo annexd --system                     the machine's daemon, at /run/annex/annexd.socket
              annexd --limit running=512 --limit apps=16       more of one, fewer of another (Docs/Guide/Daemon.md has all)
              systemctl --user enable --now annexd.socket      started by the first host that connects
              sudo annexd --system --forget-user 1000          removes what the machine's daemon keeps for a user

            SIGNALS
              SIGTERM, SIGINT   launch nothing more, end extensions (their hosts are told brokerShutdown), exit 0
              SIGHUP            the same, and start the program anew, from its file, with the same socket: who connects
                                meanwhile waits and is not refused. So a new version takes over.

            EXIT STATUS
              0   ended as it was asked to
              1   it cannot listen or cannot keep its state; the reason is printed
              64  the command line is not understood
            """,
        version: "0.1.0")

    @Option(help: ArgumentHelp("Where to listen.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Where to keep what is installed.", valueName: "folder"))
    var state: String?

    @Flag(help: "Serve every user of this machine, each with a broker and apps of his own. For root.")
    var system = false

    @Option(
        help: ArgumentHelp(
            "Another limit than usual, of one user or of time in seconds; may be given more than once.",
            valueName: "name=number"),
        transform: LimitArgument.init)
    var limit: [LimitArgument] = []

    @Option(
        help: ArgumentHelp(
            "Remove the apps and reports of a user, and end. The user must have no host at work; the daemon may run.",
            valueName: "uid"))
    var forgetUser: UInt32?

    @Flag(help: "Log more: each connection's end and its cause, each launch and each end.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "End no extension by the clock alone before this.", valueName: "seconds", visibility: .hidden))
    var patience = 0

    @Flag(help: ArgumentHelp("Never hold an extension back that fails.", visibility: .hidden))
    var neverHoldBack = false

    func validate() throws {
        guard forgetUser == nil || system else {
            throw ValidationError(
                "only the machine's daemon keeps something for several users: --system --forget-user UID")
        }
    }

    func run() throws {
        var options = DaemonOptions(
            state: try Self.absolute(state ?? (system ? DaemonPlace.systemState : DaemonPlace.userState)),
            isSystem: system)
        if let forgetUser { return try forget(forgetUser, options) }
        options.wishes.patience = .seconds(patience)
        options.wishes.holdsBack = !neverHoldBack
        options.wishes.reports = .standard
        for limit in limit { options.limits.set(limit.name, to: limit.number) }
        let path = try Self.absolute(socket ?? (system ? DaemonPlace.systemSocket : DaemonPlace.userSocket))
        let end = DaemonLife(options, socket: path, isVerbose: verbose).run()
        if end != 0 { throw ExitCode(end) }
    }

    private func forget(_ user: UInt32, _ options: DaemonOptions) throws {
        let removed = try ForgottenUser.remove(user, from: options)
        for folder in removed { print("removed \(folder)") }
        if removed.isEmpty { print("nothing is kept for user \(user)") }
    }

    /// Makes a path absolute. A relative path begins at the folder in which the program was started.
    private static func absolute(_ path: String) throws -> String {
        guard !path.hasPrefix("/") else { return path }
        return try Descriptor.directory("/proc/self").linkTarget("cwd") + "/" + path
    }
}
