import AnnexLinux
import AnnexPolicy
import AnnexSigning
import ArgumentParser
import Glibc

/// `annex key`: the commands about the keys with which teams sign their apps.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make, show and trust the keys with which teams sign their apps.",
        discussion: """
            A team signs each of its apps with the same secret key (annex sign). The public key shows users that two apps, \
            or two versions of one app, come from the same team.

            EXAMPLES
              annex key new 'Example Pictures'     make your team's key, once
              annex key show                       print its identifier and its public key
              annex sign Pictures.app              sign an app with it
              annex key trust other.key.pub        trust the key of another team
            """,
        subcommands: [NewKeyCommand.self, ShowKeyCommand.self, TrustKeyCommand.self])
}

/// `annex key new`: makes a key pair.
struct NewKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a team's key pair.",
        discussion: """
            The secret key goes into a file that only you can read, the public key into a file beside it with the suffix \
            `.pub`. Hand out the second file, never the first. No file is overwritten. A lost key cannot be restored: \
            your users must then allow a new key for each of your apps.

            EXAMPLES
              annex key new 'Example Pictures'                       in ~/.config/annex/team.key
              annex key new 'Example Pictures' --out /media/stick/team.key

            EXIT STATUS
              0   the key is made
              1   the file exists or cannot be written, or the name cannot be shown
              64  the command line is not understood
            """)

    @Argument(help: "The team's name, which users see: 1 to 64 bytes of printable text.")
    var team: String

    @Option(
        help: ArgumentHelp("Write the secret key to this file.", valueName: "file"), completion: .file())
    var out: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() throws {
        try SigningOutput.reporting { () throws(SigningError) in
            let path = out ?? UserKey.path
            if out == nil { try UserKey.makeFolder() }
            let key = try TeamKey(named: team)
            try key.write(to: path)
            let files = [("key", path), ("publicKeyFile", path + TeamKey.publicSuffix)]
            SigningOutput.show(key.team, files: files, asJSON: json)
        }
    }
}

/// `annex key show`: prints a key's team.
struct ShowKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the team, the identifier and the public key of a key's file.",
        discussion: """
            The identifier has ten letters and digits, for people to compare. Programs must compare the whole public key. \
            The secret key is never printed.

            EXAMPLES
              annex key show                           your own key
              annex key show team.key.pub              a public key that another team handed out
              annex key show --json | jq -r .identifier

            EXIT STATUS
              0   printed
              1   the file holds no key, or a secret key that other users can read
              64  the command line is not understood
            """)

    @Argument(
        help: "A file of annex key new, secret or public; your own key unless given.", completion: .file())
    var file: String?

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() throws {
        try SigningOutput.reporting { () throws(SigningError) in
            SigningOutput.show(try Self.team(in: file ?? UserKey.path), files: [], asJSON: json)
        }
    }

    /// The team whose public key or secret key is in a file.
    static func team(in path: String) throws(SigningError) -> Team {
        if path.hasSuffix(TeamKey.publicSuffix) { return try TeamFile.read(path) }
        do throws(SigningError) {
            return try TeamKey(readingFrom: path).team
        } catch {
            // A file with a public key can have any name. If the file holds no public key either, the error about the
            // secret key is more helpful.
            guard error.code == .damagedKey, let team = try? TeamFile.read(path) else { throw error }
            return team
        }
    }
}
