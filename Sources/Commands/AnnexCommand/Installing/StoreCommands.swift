import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex install`: installs apps in a daemon's store.
struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install apps with annexd, which then offers their extensions to all your hosts.",
        discussion: """
            The daemon keeps a copy of each app, so later changes to the directory have no effect. An app that is \
            already installed is updated; its disabled extensions stay disabled and are printed with `off`. The highest \
            version is used. If you install a lower one, it is kept, and the command says that it is not used: see \
            `annex pin`.

            The first installation of a signed app binds it to the team that signed it. Later, annexd installs the app \
            only from the same team (annex key trust --help). It refuses a signed app if one of its files has changed.

            If an extension asks for an entitlement, such as the use of the network, the command asks you on the \
            terminal whether to grant it. For the network, you can answer with the machines that it may reach. --grant \
            answers in advance, for all machines. Without a terminal, or with --json, the command \
            prints what is not in force; `annex grant` grants it later.

            If an extension breaks a rule of packaging, the daemon refuses it and the command prints the reason. The app \
            and its other extensions are installed. An app stays installed until `annex remove`, also after restarts.

            Hosts with a broker of their own (AnnexHost.embedded) do not use these apps. Docs/Guide/Daemon.md lists the \
            limits of one user.

            EXAMPLES
              annex install Pictures.app               install an app, and print its extensions
              annex install *.app --json | jq -r '.extensions[].identifier'
              annex install Pictures.app --grant com.apple.security.network.client
              annex install --system Pictures.app      use the machine's daemon, still for you alone

            EXIT STATUS
              0   the apps are installed
              1   an app or an extension breaks a rule of packaging or exceeds your limits, or --grant had no effect; the \
                  others are installed
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "Directories of apps, each named Name.app.", completion: .directory)
    var apps: [String]

    @Option(
        name: .customLong("grant"),
        help: ArgumentHelp(
            "Grant this entitlement to the extensions that ask for it. May be given more than once.",
            valueName: "entitlement"))
    var granting: [String] = []

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let (installed, end) = try daemon.ask(about: apps) { host, app throws(BrokerError) in
            try host.installAndWait(app: app, granting: granting)
        }
        InstalledText.showEndedGrants(of: installed.flatMap(\.self))
        let extensions = try granted(installed.flatMap(\.self))
        for rejection in extensions.compactMap(\.rejection) {
            StandardError.print("annex: \(PlainText.shown("\(rejection)"))")
        }
        if daemon.json {
            print(JSON.object([.init("extensions", value: .list(extensions.map(InstalledText.json)))]).written)
        } else {
            Self.showTeams(of: extensions)
            let extensions = extensions.filter { $0.rejection == nil }
            let isAnyOff = extensions.contains { !$0.isEnabled }
            for line in InstalledText.lines(extensions, withSwitch: isAnyOff) { print(line) }
        }
        let isRejected = extensions.contains { $0.verdict == .broken || $0.verdict == .unsupportedPoint }
        let isUnasked = reportUnasked(by: extensions)
        if let end = end ?? (isRejected || isUnasked ? DaemonChoice.rejected : nil) { throw end }
    }
}

extension InstallCommand {
    /// Asks about each entitlement that is not granted yet.
    /// - Returns: the extensions, including the entitlements that the user has granted.
    private func granted(_ extensions: [InstalledExtension]) throws -> [InstalledExtension] {
        let mayAsk = UserAnswer.canBeGiven && !daemon.json
        var extensions = extensions
        for question in GrantQuestion.about(extensions) {
            guard case .yes(let hosts) = question.ask(mayAsk: mayAsk) else { continue }
            let one = try daemon.ask { host throws(BrokerError) in
                try host.grantAndWait(question.entitlement, to: question.identifier, hosts: hosts)
            }
            if let place = extensions.firstIndex(where: { $0.id == one.id }) { extensions[place] = one }
        }
        return extensions
    }

    /// Prints the entitlements that the command line grants, but that are not in force for any of the extensions.
    /// - Returns: whether there are such entitlements.
    private func reportUnasked(by extensions: [InstalledExtension]) -> Bool {
        guard !extensions.isEmpty else { return false }
        let unasked = UngrantedName.all(granting, of: extensions)
        for one in unasked { StandardError.print("annex: \(one.note)") }
        return !unasked.isEmpty
    }
}

extension InstallCommand {
    /// Prints the team of each signed app. The user should know the team, because this may be the first installation of
    /// the app.
    private static func showTeams(of extensions: [InstalledExtension]) {
        var shown: Set<String> = []
        for one in extensions {
            guard let team = one.team, shown.insert(one.containingApp).inserted else { continue }
            StandardError.print("annex: \(one.containingApp) is signed by \(PlainText.shown("\(team)"))")
        }
    }
}

/// `annex remove`: removes apps from a daemon's store.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove apps that were installed with annexd, and end their running extensions.",
        discussion: """
            EXAMPLES
              annex remove com.example.pictures        one app with all its extensions, by its bundle identifier
              annex list --json | jq -r '.extensions[].containingApp' | sort -u | xargs annex remove      every app with an extension on offer

            EXIT STATUS
              0   the apps are removed
              1   an app is not installed, or the change could not be stored; the others are removed
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "Bundle identifiers of apps.")
    var apps: [String]

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let (removed, end) = try daemon.ask(about: apps) { host, app throws(BrokerError) in
            try host.removeAndWait(app: app)
            return app
        }
        if daemon.json { print(JSON.object([.init("removed", value: .texts(removed))]).written) }
        if let end { throw end }
    }
}
