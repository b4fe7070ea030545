import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex list`: the extensions that a daemon offers.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the extensions that annexd offers to your hosts.",
        discussion: """
            One a line: identifier, extension point, name. What is switched off or refused is not on offer, and \
            listed only with --all, which has `on`, `off` or `refused` behind each identifier.

            EXAMPLES
              annex list
              annex list --all
              annex enable $(annex list --all --json | jq -r '.extensions[] | select(.enabled | not) | .identifier')
              annex list --point com.apple.photo-editing
              annex list --json | jq -r '.extensions[] | [.identifier, .containingApp] | @tsv'

            EXIT STATUS
              0   listed; also where nothing is on offer
              1   the daemon refuses, or goes before it has told all
              64  the command line is not understood
              69  no daemon answers
            """)

    @Option(help: ArgumentHelp("Only those for this extension point.", valueName: "identifier"))
    var point: String?

    @Flag(help: "Also those that are switched off, and those that break a rule of packaging.")
    var all = false

    @OptionGroup var daemon: DaemonChoice

    func run() throws {
        let installed = try daemon.ask { host throws(BrokerError) in try host.installed() }
        let shown = installed.filter { (all || $0.isOffered) && (point == nil || $0.extensionPoint == point) }
        if daemon.json {
            print(JSON.object([.init("extensions", .list(shown.map(InstalledText.json)))]).written)
        } else {
            for line in InstalledText.lines(shown, withSwitch: all) { print(line) }
            for refusal in shown.compactMap(\.refusal) {
                StandardError.print("annex: \(PlainText.shown("\(refusal)"))")
            }
        }
    }
}
