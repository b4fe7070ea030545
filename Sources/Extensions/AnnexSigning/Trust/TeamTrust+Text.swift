internal import AnnexLinux

// The file of a user's trust. The first line names the format and its version. Each following line holds one team or
// one pin. A team's name comes last in its line, because the name may contain blanks.
//
//     annex-trust 1
//     team KEY NAME
//     user com.example.pictures KEY NAME
//     first com.example.shout KEY NAME
//
// `user` is a pin that the user stated. `first` is a pin that the first installation of the app made.

extension TeamTrust {
    private static let head = "annex-trust 1"
    /// The longest file in bytes. It has room for 8,192 lines of the longest kind.
    package static let mostBytes = 3 << 20

    /// The text of the file.
    package var text: String {
        var lines = [Self.head]
        lines += trusted.map { "team \($0.publicKey.hex) \($0.name)" }
        lines += pins.sorted { $0.key < $1.key }.map { app, pin in
            "\(pin.isByUser ? "user" : "first") \(app) \(pin.team.publicKey.hex) \(pin.team.name)"
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Reads the text of a file.
    /// - Throws: an error with the number of the first line that cannot be read. The reader does not guess, because a
    ///   lost pin would allow another team to take over an app.
    package init(text: String, place: String) throws(SigningError) {
        self.init()
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", lines.first == Self.head[...], lines.count <= 2 * Self.most + 1 else {
            throw Self.damaged(place, what: "is not a list of trusted teams of version 1")
        }
        for (number, line) in lines.enumerated().dropFirst() {
            guard add(line) else { throw Self.damaged(place, what: "has a line \(number + 1) that cannot be read") }
        }
    }

    private mutating func add(_ line: Substring) -> Bool {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2 else { return false }
        if words[0] == "team" {
            guard let team = Self.team(words[1]), !trusted.contains(team) else { return false }
            return (try? trust(team)) != nil
        }
        let rest = words[1].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words[0] == "user" || words[0] == "first", rest.count == 2, let team = Self.team(rest[1]),
            pins[String(rest[0])] == nil
        else { return false }
        return (try? pin(String(rest[0]), to: team, isByUser: words[0] == "user")) != nil
    }

    private static func team(_ text: Substring) -> Team? {
        let words = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let key = Hexadecimal.bytes(of: words[0]).flatMap({ PublicKey($0) }) else { return nil }
        return Team(name: String(words[1]), publicKey: key)
    }

    static func damaged(_ place: String, what: String) -> SigningError {
        SigningError(
            .damagedTrust, what: what, place: place,
            remedy: "restore the file, or move it away and trust your teams again")
    }
}
