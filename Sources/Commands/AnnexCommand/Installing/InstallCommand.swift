import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex install`: puts apps into a daemon's store.
struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Install apps with annexd, so that their extensions are on offer to every host of yours.",
        discussion: """
            The daemon gets a copy of each app: what becomes of the directory later changes nothing. An app that is \
            installed already is replaced; what was switched off in it \
            stays off, and is then printed with `off`. An extension that breaks a rule is refused, and the reason printed; \
            its app and the app's other extensions are installed. An app stays until `annex remove`, also over restarts. Hosts with a broker of \
            their own (AnnexHost.embedded) have nothing to do with it. Docs/Guide/Daemon.md says what one user may have.

            EXAMPLES
              annex install Pictures.app               and print the extensions that it carries
              annex install *.app --json | jq -r '.extensions[].identifier'
              annex install --system Pictures.app      with the machine's daemon: for you alone all the same

            EXIT STATUS
              0   installed
              1   an app or an extension breaks a rule of packaging, or is more than you may have; the others are installed
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "Directories, each Name.app.", completion: .directory)
    var apps: [String]

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let (installed, end) = try daemon.ask(about: apps) { host, app throws(BrokerError) in
            try host.install(app: app)
        }
        let extensions = installed.flatMap(\.self)
        let refusals = extensions.compactMap(\.refusal)
        for refusal in refusals { StandardError.print("annex: \(PlainText.shown("\(refusal)"))") }
        if daemon.json {
            print(JSON.object([.init("extensions", .list(extensions.map(InstalledText.json)))]).written)
        } else {
            let extensions = extensions.filter { $0.refusal == nil }
            let isAnyOff = extensions.contains { !$0.isEnabled }
            for line in InstalledText.lines(extensions, withSwitch: isAnyOff) { print(line) }
        }
        if let end = end ?? (refusals.isEmpty ? nil : DaemonChoice.refused) { throw end }
    }
}
