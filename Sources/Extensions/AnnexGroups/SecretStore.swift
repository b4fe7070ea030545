internal import AnnexMessages
internal import AnnexPortal

/// Secrets of an app group: passwords and tokens that its members share. Apple's counterpart is a keychain access
/// group.
///
/// ```swift
/// let secrets = SecretStore(of: try AppGroup("group.com.example.todo"))
/// try secrets.set(Array(token.utf8), forKey: "token")
/// ```
///
/// The broker encrypts each secret with a key of the user (XChaCha20-Poly1305) before the secret is written to the
/// disk. A group may have 1,024 secrets of at most 64 KiB each.
public struct SecretStore: Sendable {
    private let group: JoinedGroup

    public init(of group: AppGroup) {
        self.group = group.joined
    }

    /// Stores a secret, and replaces an earlier secret of the same key. After the call has returned, a power failure
    /// does not lose the secret.
    /// - Parameters:
    ///   - secret: the secret; nil removes the stored secret.
    ///   - key: a text of 1 to 256 bytes. The key is not encrypted.
    public func set(_ secret: [UInt8]?, forKey key: String) throws(PortalError) {
        _ = try group.ask(SecretMethod.set, with: SecretValue(name: key, bytes: secret))
    }

    /// The secret of a key; nil if there is none.
    public func secret(forKey key: String) throws(PortalError) -> [UInt8]? {
        try group.ask(SecretMethod.value, with: NameList(names: [key])).decoded(as: SecretValue.self).bytes
    }

    /// The keys of all secrets, sorted.
    public var keys: [String] {
        get throws(PortalError) { try names(SecretMethod.names) }
    }

    /// The source of the user's key, for a person to read: a credential of systemd, the kernel's keyring, or a file.
    public var keySource: String {
        get throws(PortalError) { try names(SecretMethod.keySource).first ?? "" }
    }

    private func names(_ method: PortalMethod) throws(PortalError) -> [String] {
        try group.ask(method, with: NameList(names: [])).decoded(as: NameList.self).names
    }
}
