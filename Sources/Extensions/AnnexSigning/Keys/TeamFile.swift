internal import AnnexLinux

/// The text of a team's public key, in three lines. Teams publish this file, so that users can trust their keys.
///
/// ```
/// annex-team 1
/// team Example Pictures
/// public 6f3c… (64 digits)
/// ```
package enum TeamFile {
    /// The longest file, in bytes.
    static let longest = 512
    /// The first line of a file with a public key. The number in this line is the version of the format.
    static let publicHead = "annex-team 1"
    /// The first line of a file with a secret key.
    static let secretHead = "annex-team-key 1"

    package static func text(of team: Team) -> String { text(of: team, head: publicHead) }

    static func text(of team: Team, head: String) -> String {
        "\(head)\nteam \(team.name)\npublic \(team.publicKey.hex)\n"
    }

    /// Reads the text of a file with a public key, for example a text that a host sent.
    package static func team(in text: String) throws(SigningError) -> Team {
        guard text.utf8.count <= longest else {
            throw SigningError(.damagedKey, what: "is longer than \(longest) bytes", place: "public key")
        }
        return try team(in: text, head: publicHead, place: "public key")
    }

    /// Reads the three lines.
    /// - Parameter place: the file, for errors.
    static func team(in text: String, head: String, place: String) throws(SigningError) -> Team {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 4, lines[3].isEmpty, lines[0] == head, let name = value(of: "team ", in: lines[1]),
            let hex = value(of: "public ", in: lines[2]), let bytes = Hexadecimal.bytes(of: hex),
            let key = PublicKey(bytes), let team = Team(name: String(name), publicKey: key)
        else {
            throw SigningError(
                .damagedKey, what: "is not a team's \(head == publicHead ? "public key" : "key")", place: place,
                remedy: head == publicHead
                    ? "name the file that the team hands out; annex key new writes it beside the key"
                    : "name a file that annex key new wrote")
        }
        return team
    }

    private static func value(of key: String, in line: Substring) -> Substring? {
        line.hasPrefix(key) ? line.dropFirst(key.count) : nil
    }

    /// Reads the file of a public key.
    package static func read(_ path: String) throws(SigningError) -> Team {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try KeyFolder.open(path).readAll(atMost: longest)
        } catch {
            throw SigningError(error, place: "\(Escaped(path))")
        }
        return try team(in: String(decoding: bytes, as: UTF8.self), head: publicHead, place: "\(Escaped(path))")
    }
}
