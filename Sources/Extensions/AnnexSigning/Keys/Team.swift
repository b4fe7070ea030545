internal import AnnexLinux

/// The team that signs an app. It has a public key, and a name that the team gives itself.
///
/// Only the key shows that two apps belong to the same team. Any team can choose any name. With much computation, a
/// team can also find a key that has a given short identifier. So two teams are equal if and only if their keys are
/// equal.
package struct Team: Sendable, Hashable {
    /// The name that the team gives itself: printable, at most 64 bytes.
    package let name: String
    package let publicKey: PublicKey

    /// The longest name of a team, in bytes.
    package static let longestName = 64

    /// Nil if the name is empty, is too long, or has characters that cannot be shown.
    package init?(name: String, publicKey: PublicKey) {
        guard Self.isShowable(name) else { return nil }
        self.name = name
        self.publicKey = publicKey
    }

    /// Ten letters and digits, such as `K3J7Q2XAZD`, that people can compare. They are made from the public key.
    package var identifier: String {
        Self.letters(of: Digest(of: publicKey.bytes, for: .team))
    }

    package static func == (one: Team, other: Team) -> Bool { one.publicKey == other.publicKey }

    package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }

    /// The first 50 bits of a digest in base 32.
    private static func letters(of digest: Digest) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var number = digest.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var letters: [UInt8] = []
        for _ in 0..<10 {
            letters.append(alphabet[Int(number >> 59)])
            number <<= 5
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Whether messages can show the name unchanged. Such a name contains no character that must be escaped, and has no
    /// blank at its start or end.
    static func isShowable(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count) && Escaped(name).description == name && !name.hasPrefix(" ")
            && !name.hasSuffix(" ")
    }
}

extension Team: CustomStringConvertible {
    /// The name and the identifier, for messages.
    package var description: String { "\(name) (\(identifier))" }
}
