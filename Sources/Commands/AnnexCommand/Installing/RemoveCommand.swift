import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex remove`: takes apps out of a daemon's store.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove apps that were installed with annexd; their extensions that run end.",
        discussion: """
            EXAMPLES
              annex remove com.example.pictures        the app, by its bundle identifier, with all that it carries
              annex list --json | jq -r '.extensions[].containingApp' | sort -u | xargs annex remove      every app that offers something

            EXIT STATUS
              0   removed
              1   no such app is installed, or the disk refused; the others are removed
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "Bundle identifiers of apps.")
    var apps: [String]

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let (removed, end) = try daemon.ask(about: apps) { host, app throws(BrokerError) in
            try host.remove(app: app)
            return app
        }
        if daemon.json { print(JSON.object([.init("removed", .texts(removed))]).written) }
        if let end { throw end }
    }
}
