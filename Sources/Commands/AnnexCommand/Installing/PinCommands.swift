import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex pin`: chooses which version of an app a daemon uses.
struct PinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Use one installed version of an app, until `annex unpin`.",
        discussion: """
            annexd keeps two versions of each app, and uses the higher one. A pinned version is used instead, also after \
            later installations. `annex list --all --json` shows the versions. Extensions that run meanwhile finish first.

            EXAMPLES
              annex pin com.example.pictures 1.4.2
              annex list --all --json | jq '.extensions[] | [.containingApp, .version, .otherVersions]'

            EXIT STATUS
              0   the version is used from now on
              1   the app or the version is not installed, or the change could not be stored
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "The bundle identifier of an app.")
    var app: String

    @Argument(help: "The app's CFBundleVersion.")
    var version: String

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        try daemon.showApp { host throws(BrokerError) in try host.pinAndWait(app: app, to: version) }
    }
}

/// `annex unpin`: lets a daemon use an app's highest version again.
struct UnpinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Use the highest installed version of an app again.",
        discussion: """
            EXAMPLES
              annex unpin com.example.pictures

            EXIT STATUS
              0   the highest version is used from now on
              1   the app is not installed, or the change could not be stored
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "The bundle identifier of an app.")
    var app: String

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        try daemon.showApp { host throws(BrokerError) in try host.unpinAndWait(app: app) }
    }
}

extension DaemonChoice {
    /// Sends one request about an app, and prints the app's extensions.
    func showApp(_ work: (AnnexHost) throws(BrokerError) -> [InstalledExtension]) throws {
        let extensions = try ask(work)
        InstalledText.showEndedGrants(of: extensions)
        if json {
            print(JSON.object([.init("extensions", value: .list(extensions.map(InstalledText.json)))]).written)
        } else {
            for line in InstalledText.lines(extensions, withSwitch: true) { print(line) }
        }
    }
}
