import AnnexHost
import AnnexPolicy
import ArgumentParser

/// `annex grant`: grants an extension entitlements that it asks for.
struct GrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Grant entitlements to an extension that asks for them.",
        discussion: """
            An extension has an entitlement only if it asks for it, its extension point allows it, and you grant it. The \
            grant holds from the extension's next launch on. `annex list --json` shows what each extension asks for, and \
            `annex policy show NAME` what an entitlement allows.

            With --host, the extension connects to the machines that you name, and to no other. Without it, a grant of \
            com.apple.security.network.client is for all other machines. If you grant it again, the machines of the \
            later grant count.

            EXAMPLES
              annex grant com.example.pictures.sharer com.apple.security.network.client
              annex grant com.example.news.feed com.apple.security.network.client --host feed.example.org:443
              annex grant com.example.news.feed com.apple.security.network.client --host '*.example.org' --host 192.0.2.7:22
              annex list --json | jq '.extensions[] | [.identifier, .entitlements]'

            EXIT STATUS
              0   the entitlements are granted; some may have been granted before
              1   the extension is not installed or does not ask for one of them, a machine is wrong, or the change could \
                  not be stored
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var change: GrantChange

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "Grant the network to this machine: a name, *.NAME for all names below it, or an address. May be given more than once.",
            valueName: "name[:port]"))
    var hosts: [String] = []

    func run() throws { try change.make(isGranted: true, hosts: hosts) }
}

/// `annex revoke`: revokes granted entitlements.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take entitlements back that you granted to an extension.",
        discussion: """
            The extension no longer has them at its next launch. A process of it that waits for a request is ended at \
            once. One that works keeps them until its end; to end it now, use `annex disable`. If the grant named \
            machines, also a process that works loses them at once, with its connections to them.

            With --host, only these machines are taken back. If the grant names no other, the whole entitlement is.

            EXAMPLES
              annex revoke com.example.pictures.sharer com.apple.security.network.client
              annex revoke com.example.news.feed com.apple.security.network.client --host feed.example.org:443

            EXIT STATUS
              0   the entitlements are revoked; some may not have been granted
              1   the extension is not installed or does not ask for one of them, its grant does not name a machine, or \
                  the change could not be stored
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var change: GrantChange

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp(
            "Take back this machine only. May be given more than once.", valueName: "name[:port]"))
    var hosts: [String] = []

    func run() throws { try change.make(isGranted: false, hosts: hosts) }
}

/// The entitlements that a command grants or revokes.
struct GrantChange: ParsableArguments {
    @Argument(help: "The bundle identifier of an extension.")
    var identifier: String

    @Argument(help: "Entitlements, for example com.apple.security.network.client.")
    var entitlements: [String]

    @OptionGroup var daemon: DaemonChoice

    /// Grants or revokes the entitlements. Says which machines the extension may reach now, if that changed. With
    /// `--json`, prints the extension.
    func make(isGranted: Bool, hosts: [String]) throws {
        let (before, one) = try daemon.ask { host throws(BrokerError) in
            let before = try host.installedAndWait().first { $0.id == identifier }
            let one = try host.setGrantedAndWait(
                isGranted, entitlements: entitlements, hosts: hosts, for: identifier)
            return (before, one)
        }
        if let note = GrantedMachines.note(before: before, after: one) { StandardError.print("annex: \(note)") }
        if daemon.json { print(JSON.object([.init("extensions", value: .list([InstalledText.json(one)]))]).written) }
    }
}

/// The machines that an extension may reach, in words.
enum GrantedMachines {
    /// For example `com.a.b may connect to feed.example.org:443`; nil if the extension cannot use the network.
    static func words(of one: InstalledExtension) -> String? {
        guard let network = network(of: one), network.isInForce else { return nil }
        let hosts = network.hosts.map(HostRule.words(of:))
        return "\(PlainText.shown(one.id)) may connect to "
            + (hosts.isEmpty ? "all other machines" : hosts.joined(separator: ", "))
    }

    /// What a change of grants did to the machines, if grants before or after it name machines.
    static func note(before: InstalledExtension?, after: InstalledExtension) -> String? {
        let (old, new) = (before.flatMap(network), network(of: after))
        let isNamed = [old, new].contains { $0?.hosts.isEmpty == false }
        guard isNamed, old?.hosts != new?.hosts || old?.isInForce != new?.isInForce else { return nil }
        let now = words(of: after) ?? "\(PlainText.shown(after.id)) may connect to no machine any more"
        guard let old, old.isInForce, new?.isInForce == true else { return now }
        let hosts = old.hosts.map(HostRule.words(of:))
        return "\(now); before: \(hosts.isEmpty ? "all other machines" : hosts.joined(separator: ", "))"
    }

    private static func network(of one: InstalledExtension) -> InstalledExtension.Entitlement? {
        one.entitlements.first { PolicyFragment.withNamedHosts[$0.name] != nil }
    }
}

extension HostRule {
    /// A machine for people, with the letters of other scripts in its name.
    fileprivate static func words(of text: String) -> String {
        PlainText.shown((try? HostRule(text))?.words ?? text)
    }
}
