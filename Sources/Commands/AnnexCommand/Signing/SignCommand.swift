import AnnexPolicy
import AnnexSigning
import ArgumentParser

/// `annex sign`: signs an app, or checks a signature.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign an app with your team's key, or check an app's signature.",
        discussion: """
            Signing reads every file of the app, and writes the list of their digests with your signature to \
            Name.app/_CodeSignature/Seal. After that, each changed, added or missing file makes the signature invalid. \
            So sign last, when the app is complete.

            An app cannot be signed if it has hard links, devices, pipes or sockets, links that lead out of it, or files \
            that other users can change. A signature replaces an older one.

            EXAMPLES
              annex sign Pictures.app                              with your own key (annex key new)
              annex sign Pictures.app --key /media/stick/team.key
              annex sign --check Pictures.app                      print its team, or every difference
              annex sign --check Pictures.app --json | jq -r .contentDigest

            EXIT STATUS
              0   the app is signed; with --check: its signature is valid and covers every file
              1   the app or the key is refused; with --check: the app is not signed, or differs from what was signed
              64  the command line is not understood
            """)

    @Argument(help: "The app's directory, named Name.app.", completion: .directory)
    var app: String

    @Option(
        help: ArgumentHelp("The file of the team's secret key; your own key unless given.", valueName: "file"),
        completion: .file())
    var key: String?

    @Flag(help: "Change nothing, and check the app's signature against every file.")
    var check = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        guard !check || key == nil else {
            throw ValidationError("--check needs no key: the signature contains the public key")
        }
    }

    func run() throws {
        guard check || key != nil || FileText.exists(UserKey.path) else {
            StandardError.print(
                "annex: you have no key yet (\(PlainText.shown(UserKey.path))); make one: annex key new TEAM")
            throw ExitCode(1)
        }
        try SigningOutput.reporting { () throws(SigningError) in
            let sealed =
                check
                ? try SealedApp.check(appAt: app)
                : try AppSigner.sign(app: app, with: TeamKey(readingFrom: key ?? UserKey.path))
            if json { print(Self.json(sealed).written) } else { for line in Self.lines(sealed) { print(line) } }
            if sealed.team == nil { throw SigningError.isNotSigned(app) }
        }
    }

    private static func lines(_ sealed: SealedApp) -> [String] {
        let team = sealed.team.map { "\($0)" } ?? "not signed"
        return [
            "app      \(PlainText.shown(sealed.seal.app)) \(PlainText.shown(sealed.seal.version))", "team     \(team)",
            "files    \(sealed.seal.fileCount)", "digest   \(sealed.contentDigest.hex)",
        ]
    }

    private static func json(_ sealed: SealedApp) -> JSON {
        .object([
            .init("app", value: .text(sealed.seal.app)), .init("version", value: .text(sealed.seal.version)),
            .init("team", value: sealed.team.map { .object(SigningOutput.members(of: $0)) } ?? .null),
            .init("files", value: .number(sealed.seal.fileCount)),
            .init("contentDigest", value: .text(sealed.contentDigest.hex)),
        ])
    }
}
