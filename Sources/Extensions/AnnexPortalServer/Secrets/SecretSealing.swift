internal import CAnnexSodium

/// Seals the secrets of one group with the user's key: XChaCha20-Poly1305, with a new random nonce each time.
///
/// The seal binds a secret to its team, its group and its name. So a program that can write to the store cannot
/// change a secret, or put one secret in the place of another. The program can still put back an older secret of the
/// same name, or remove a secret.
package struct SecretSealing: Sendable {
    private static let version: UInt8 = 1
    private static let markSize = 8
    private static let nonceSize = 24
    private static let tagSize = 16
    private static let headSize = 1 + markSize
    /// The number of bytes by which a sealed secret is longer than the secret.
    private static let overhead = headSize + nonceSize + tagSize

    package let key: SecretKey
    private let team: String
    private let group: String

    /// - Parameters:
    ///   - team: the team's public key, in hexadecimal digits.
    ///   - group: the identifier of the group.
    package init(team: String, group: String, key: SecretKey) {
        self.team = team
        self.group = group
        self.key = key
    }

    /// Seals a secret.
    /// - Throws: `full` if the secret is larger than `SecretLimits.bytes`.
    func seal(_ secret: [UInt8], as name: String) throws(StoreError) -> SealedSecret {
        guard secret.count <= SecretLimits.bytes else {
            throw StoreError(
                .full, what: "the secret has \(secret.count) bytes",
                remedy:
                    "a secret has at most \(SecretLimits.bytes) bytes: seal larger data with a key that is a secret"
            )
        }
        var nonce = [UInt8](repeating: 0, count: Self.nonceSize)
        // SAFETY: the library writes exactly the array's bytes.
        unsafe randombytes_buf(&nonce, nonce.count)
        let head = [Self.version] + key.mark
        var sealed = [UInt8](repeating: 0, count: secret.count + Self.tagSize)
        let context = context(of: name, after: head)
        // SAFETY: the library writes as many bytes as the secret has, plus 16. The library only reads the other
        // arrays and the key. The nonce has 24 bytes, and the key has 32. This call cannot fail.
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, nil, secret, UInt64(secret.count), context, UInt64(context.count), nil, nonce,
            key.memory.bytes)
        return SealedSecret(bytes: head + nonce + sealed)
    }

    /// Opens a sealed secret.
    /// - Throws: `otherKey` if another key sealed it; `altered` if its bytes are not the bytes that were sealed under
    ///   this name.
    func open(_ sealed: SealedSecret, as name: String) throws(StoreError) -> [UInt8] {
        let bytes = sealed.bytes
        guard bytes.count >= Self.overhead, bytes.count <= SecretLimits.bytes + Self.overhead,
            bytes[0] == Self.version
        else { throw Self.altered }
        let head = Array(bytes[..<Self.headSize])
        guard head[1...].elementsEqual(key.mark) else { throw Self.otherKey }
        let nonce = Array(bytes[Self.headSize..<Self.headSize + Self.nonceSize])
        let encrypted = Array(bytes[(Self.headSize + Self.nonceSize)...])
        var secret = [UInt8](repeating: 0, count: encrypted.count - Self.tagSize)
        let context = context(of: name, after: head)
        // SAFETY: the library first checks the encrypted bytes. Then it writes 16 bytes fewer than it has read.
        let result = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            &secret, nil, nil, encrypted, UInt64(encrypted.count), context, UInt64(context.count), nonce,
            key.memory.bytes)
        guard result == 0 else { throw Self.altered }
        return secret
    }

    /// The data to which the seal binds the secret. The length of each part stands before the part, so that two
    /// different lists of parts never give the same bytes.
    private func context(of name: String, after head: [UInt8]) -> [UInt8] {
        var context = head
        for part in [team, group, name] {
            let count = UInt32(part.utf8.count)
            context += (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            context += part.utf8
        }
        return context
    }

    private static var altered: StoreError {
        StoreError(
            .altered, what: "the stored secret was changed, or belongs to another name",
            remedy: "set the secret again, or restore the store from a copy")
    }

    private static var otherKey: StoreError {
        StoreError(
            .otherKey, what: "the secret was sealed with another key than the present one",
            remedy: "bring the earlier key back, or set the secret again")
    }
}
