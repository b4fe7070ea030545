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

            EXAMPLES
              annex grant com.example.pictures.sharer com.apple.security.network.client
              annex list --json | jq '.extensions[] | [.identifier, .entitlements]'

            EXIT STATUS
              0   the entitlements are granted; some may have been granted before
              1   the extension is not installed or does not ask for one of them, or the change could not be stored
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var change: GrantChange

    func run() throws { try change.make(isGranted: true) }
}

/// `annex revoke`: revokes granted entitlements.
struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take entitlements back that you granted to an extension.",
        discussion: """
            The extension no longer has them at its next launch. A process of it that waits for a request is ended at \
            once. One that works keeps them until its end; to end it now, use `annex disable`.

            EXAMPLES
              annex revoke com.example.pictures.sharer com.apple.security.network.client

            EXIT STATUS
              0   the entitlements are revoked; some may not have been granted
              1   the extension is not installed or does not ask for one of them, or the change could not be stored
              64  the command line is not understood
              69  no daemon answers
            """)

    @OptionGroup var change: GrantChange

    func run() throws { try change.make(isGranted: false) }
}

/// The entitlements that a command grants or revokes.
struct GrantChange: ParsableArguments {
    @Argument(help: "The bundle identifier of an extension.")
    var identifier: String

    @Argument(help: "Entitlements, for example com.apple.security.network.client.")
    var entitlements: [String]

    @OptionGroup var daemon: DaemonChoice

    /// Grants or revokes the entitlements. With `--json`, prints the extension.
    func make(isGranted: Bool) throws {
        let one = try daemon.ask { host throws(BrokerError) in
            try host.setGrantedAndWait(isGranted, entitlements: entitlements, for: identifier)
        }
        if daemon.json { print(JSON.object([.init("extensions", value: .list([InstalledText.json(one)]))]).written) }
    }
}
