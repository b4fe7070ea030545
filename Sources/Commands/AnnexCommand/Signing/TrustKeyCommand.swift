import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex key trust`: records that the user trusts a team's key.
struct TrustKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Have annexd trust the public key of a team.",
        discussion: """
            The first signed installation of an app binds the app to its team. After that, annexd installs the app only if \
            the same team has signed it. With --app, you name the team of an app yourself: before its first installation, \
            or to let another team take the app over.

            If another team takes an app over, the entitlements that you granted to its extensions end when the first \
            version of that team comes into use. The command that brings it into use (install, pin or unpin) names them.

            Compare the printed identifier with the one that the team publishes, before you trust a key: annex key show.

            EXAMPLES
              annex key trust team.key.pub                             show this team's apps as trusted
              annex key trust team.key.pub --app com.example.pictures  from now on, only this team may sign the app
              annex list --json | jq -r '.extensions[] | [.identifier, .team.identifier, .team.trusted] | @tsv'

            EXIT STATUS
              0   the key is trusted
              1   the file holds no public key, or the change could not be stored
              64  the command line is not understood
              69  no daemon answers
            """)

    @Argument(help: "The file with the team's public key, such as team.key.pub.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "An app that this team may sign from now on; may be given several times.", valueName: "identifier"))
    var app: [String] = []

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let apps: [String?] = app.isEmpty ? [nil] : app
        var trusted: SigningTeam?
        for app in apps {
            trusted = try daemon.ask { host throws(BrokerError) in try host.trustAndWait(keyFile: file, for: app) }
        }
        guard let trusted else { return }
        if daemon.json {
            print(JSON.object(InstalledText.members(of: trusted) + [.init("apps", value: .texts(app))]).written)
        } else {
            print("\(trusted)")
        }
    }
}
