/// The team that signed an app.
public struct SigningTeam: Sendable, Hashable {
    /// The name that the team gives itself. It proves nothing: every team can choose any name.
    public let name: String
    /// Ten letters and digits, made from the public key. People compare these identifiers; programs compare
    /// `publicKey`.
    public let identifier: String
    /// The team's Ed25519 key as 64 hexadecimal digits. Two apps belong to the same team if and only if their keys are
    /// the same.
    public let publicKey: String
    /// Whether the user declared the key as trusted (`AnnexHost.trust`, `annex key trust`). If not, Annex knows the team
    /// only from the app's first installation.
    public let isTrusted: Bool

    package init(name: String, identifier: String, publicKey: String, isTrusted: Bool) {
        self.name = name
        self.identifier = identifier
        self.publicKey = publicKey
        self.isTrusted = isTrusted
    }
}

extension SigningTeam: CustomStringConvertible {
    /// The name and the identifier.
    public var description: String { "\(name) (\(identifier))" }
}
