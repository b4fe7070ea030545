import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex list`: lists the extensions that a daemon offers.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the extensions that annexd offers to your hosts.",
        discussion: """
            Each line has the identifier, the extension point and the name of one extension. Disabled and rejected \
            extensions are not on offer. Only --all lists them, with `on`, `off` or `rejected` after each identifier.

            Each name is shown in the first of your languages into which it is translated. LANGUAGE, LC_ALL, LC_MESSAGES and LANG state \
            your languages.

            EXAMPLES
              annex list
              annex list --all
              annex enable $(annex list --all --json | jq -r '.extensions[] | select(.enabled | not) | .identifier')
              annex list --point com.apple.photo-editing
              LANGUAGE=de annex list
              annex list --all --json | jq -r '.extensions[] | [.instance, .verdict] | @tsv'
              annex list --json | jq -r '.extensions[] | [.identifier, .containingApp] | @tsv'
              annex list --for holiday.jpg picnic.jpg              extensions that take both pictures
              annex list --url https://example.com --point com.apple.share-services
              annex list --for holiday.jpg --app Pictures.app      extensions of an app that is not installed
              annex list --for holiday.jpg --json | jq -r '.others[] | [.id, .why] | @tsv'

            With --for, --text or --url, the command says which extensions are offered for these things. For every \
            other extension, it says why it is not offered. It decides by the names of the files and opens none. If \
            there are files or URLs, a text beside them changes nothing.

            EXIT STATUS
              0   listed; also if no extension is on offer
              1   the daemon rejects the request, or ends before it has sent everything; or an app of --app is refused
              64  the command line is not understood
              66  a file of --for does not exist
              69  no daemon answers
            """)

    @Option(help: ArgumentHelp("List only the extensions for this extension point.", valueName: "identifier"))
    var point: String?

    @Flag(help: "Also list disabled extensions, and those that break a rule of packaging.")
    var all = false

    @OptionGroup var things: OfferedThings

    @OptionGroup var daemon: DaemonChoice

    func validate() throws {
        try daemon.checkAlone(apps: things.app)
        guard things.isGiven || things.app.isEmpty else {
            throw ValidationError("--app needs things to decide about: give --for, --text or --url")
        }
        guard !all || !things.isGiven else {
            throw ValidationError("--for, --text and --url list all extensions: leave out --all")
        }
    }

    func run() throws {
        guard !things.isGiven else { return try listOffers() }
        let installed = try daemon.ask { host throws(BrokerError) in try host.installedAndWait() }
        let shown = installed.filter { (all || $0.isOffered) && (point == nil || $0.extensionPoint == point) }
        if daemon.json {
            print(JSON.object([.init("extensions", value: .list(shown.map(InstalledText.json)))]).written)
        } else {
            for line in InstalledText.lines(shown, withSwitch: all) { print(line) }
            for one in shown where one.hasNamedHosts {
                if let words = GrantedMachines.words(of: one) { StandardError.print("annex: \(words)") }
            }
            for rejection in shown.compactMap(\.rejection) {
                StandardError.print("annex: \(PlainText.shown("\(rejection)"))")
            }
        }
    }
}

extension ListCommand {
    /// Prints which extensions are offered for the files, URLs and texts that the command line names.
    private func listOffers() throws {
        let host = try daemon.host(ofApps: things.app)
        let items = try things.items(try daemon.reporting { () throws(BrokerError) in try host.typesAndWait() })
        let offers = try daemon.reporting { () throws(BrokerError) in try host.offersAndWait(for: items, at: point) }
        if daemon.json {
            print(OffersText.json(offers).written)
        } else {
            for line in OffersText.lines(offers) { print(line) }
        }
    }
}

extension InstalledExtension {
    /// Whether a grant in force names machines.
    fileprivate var hasNamedHosts: Bool { entitlements.contains { $0.isInForce && !$0.hosts.isEmpty } }
}

/// Prints installed extensions as text or as JSON.
enum InstalledText {
    /// One extension in each line, in columns.
    /// - Parameter withSwitch: whether each line says if the extension is on, off or rejected. This word comes before
    ///   the name, because a name may contain any word.
    static func lines(_ extensions: [InstalledExtension], withSwitch: Bool = false) -> [String] {
        let columns = extensions.map { one in
            [one.id] + (withSwitch ? [state(of: one)] : []) + [one.extensionPoint]
        }
        let widths = (columns.first ?? []).indices.map { place in columns.map { $0[place].count }.max() ?? 0 }
        return zip(extensions, columns).map { one, row in
            let cells = zip(row, widths).map { $0.padded(to: $1) }
            return (cells + [PlainText.shown(one.displayName)]).joined(separator: "  ")
        }
    }

    private static func state(of one: InstalledExtension) -> String {
        if one.rejection != nil { return "rejected" }
        return one.isEnabled ? "on" : "off"
    }

    static func json(_ one: InstalledExtension) -> JSON {
        .object([
            .init("identifier", value: .text(one.id)),
            .init("displayName", value: .bounded(one.displayName)),
            .init("summary", value: one.summary.map { .bounded($0) } ?? .null),
            .init("extensionPoint", value: .text(one.extensionPoint)),
            .init("containingApp", value: .text(one.containingApp)),
            .init("enabled", value: .boolean(one.isEnabled)),
            .init("version", value: .bounded(one.build.version)),
            .init("pinned", value: .boolean(one.build.isPinned)),
            .init("otherVersions", value: .list(one.build.otherVersions.map { .bounded($0) })),
            .init("instance", value: .bounded(one.instance)),
            .init("verdict", value: .text(one.verdict.rawValue)),
            .init("rejection", value: .optional(one.rejection.map { PlainText.shown("\($0)") })),
            .init("entitlements", value: .list(one.entitlements.map(entitlement))),
            .init("endedGrants", value: .list(one.endedGrants.map { .bounded($0) })),
            .init("team", value: one.team.map { .object(members(of: $0)) } ?? .null),
        ])
    }

    private static func entitlement(_ one: InstalledExtension.Entitlement) -> JSON {
        .object([
            .init("name", value: .bounded(one.name)), .init("allowed", value: .boolean(one.isAllowed)),
            .init("granted", value: .boolean(one.isGranted)), .init("inForce", value: .boolean(one.isInForce)),
            .init("hosts", value: .list(one.hosts.map { .bounded($0) })),
        ])
    }

    /// Prints the grants that an installation ended, because another team signs the app now. The user may grant the
    /// entitlements again, this time to the new team's extension.
    static func showEndedGrants(of extensions: [InstalledExtension]) {
        for one in extensions {
            for name in one.endedGrants.map({ PlainText.shown($0) }) {
                StandardError.print(
                    "annex: \(one.id): \(name) is no longer granted, because another team signs the app now. To "
                        + "grant it again: annex grant \(one.id) \(name)")
            }
        }
    }

    /// A team in the form that every command prints.
    static func members(of team: SigningTeam) -> [JSON.Member] {
        [
            .init("name", value: .text(team.name)), .init("identifier", value: .text(team.identifier)),
            .init("publicKey", value: .text(team.publicKey)), .init("trusted", value: .boolean(team.isTrusted)),
        ]
    }
}
