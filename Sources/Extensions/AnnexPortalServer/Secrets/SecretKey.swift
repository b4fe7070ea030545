internal import AnnexLinux
internal import CAnnexSodium

/// The place from which the key of the user's secrets comes.
package enum SecretKeySource: Sendable, Hashable, CustomStringConvertible {
    /// A credential of systemd: the file `annex.secrets` in `$CREDENTIALS_DIRECTORY`.
    case credential
    /// The kernel's keyring of the user: the key `annex:secrets` of type `user`.
    case keyring
    /// A file of mode 600 that Annex has made.
    case file(String)

    package var description: String {
        switch self {
        case .credential: "the systemd credential annex.secrets"
        case .keyring: "the key annex:secrets in the user's keyring"
        case .file(let path): path
        }
    }
}

/// The key that seals the secrets of all groups of one user.
///
/// The search uses exactly one source: the first source in this list whose condition holds.
/// 1. A credential of systemd, if the service that runs this process has one. An administrator sets it up, for
///    example with the machine's TPM, and the key is never on the disk.
/// 2. The kernel's keyring, if the environment says `ANNEX_SECRETS_KEY=keyring`. The kernel forgets the keyring when
///    the machine stops. So Annex never makes a key in the keyring. The user, or the user's login, must put the same
///    key into the keyring after each start.
/// 3. Otherwise, a file of mode 600 in the folder of private directories, which Annex makes. A key in this file
///    protects the secrets if someone copies the store. The key does not protect the secrets from programs of this
///    user.
///
/// If the chosen source cannot be used, the search fails. If Annex took another key instead, the user would not
/// learn that the existing secrets cannot be opened.
package final class SecretKey: Sendable {
    package let source: SecretKeySource
    let memory: KeyMemory
    /// Eight bytes that tell one key from another. These bytes reveal nothing else about the key.
    let mark: [UInt8]

    init(_ memory: consuming KeyMemory, from source: SecretKeySource) {
        self.source = source
        mark = Self.mark(of: memory)
        self.memory = memory
    }

    /// Finds the user's key. If the user has chosen no other source, and there is no key file yet, the call makes the
    /// file.
    /// - Parameters:
    ///   - privates: the path of the folder of private directories.
    ///   - environment: the variables of this process.
    /// - Throws: `noKey` if the chosen source has no usable key; `unsafe` if other users could read or change the file.
    package static func find(
        inPrivates privates: String, environment: [String: String]
    ) throws(StoreError) -> SecretKey {
        if let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty,
            let memory = try KeyFile.credential(in: folder)
        {
            return SecretKey(memory, from: .credential)
        }
        if let choice = environment[choiceVariable], !choice.isEmpty {
            guard choice == "keyring" else {
                throw StoreError(
                    .noKey, what: "\(choiceVariable) is \(Escaped(quoting: choice.utf8, limit: 80))",
                    remedy: "set it to keyring, or unset it")
            }
            return try inKeyring(UserKeyring.description)
        }
        return SecretKey(
            try KeyFile.own(in: privates), from: .file("\(privates)/\(KeyFile.name)"))
    }

    /// The key with this description in the user's keyring. Annex itself always uses the description `annex:secrets`;
    /// only tests use another description.
    package static func inKeyring(_ description: String) throws(StoreError) -> SecretKey {
        SecretKey(try UserKeyring.key(description), from: .keyring)
    }

    package static let choiceVariable = "ANNEX_SECRETS_KEY"

    private static func mark(of memory: borrowing KeyMemory) -> [UInt8] {
        let size = 8
        // A digest for this purpose has at least 16 bytes. Its first half is enough to tell keys apart.
        var digest = [UInt8](repeating: 0, count: 16)
        let purpose = Array("annex-secret-key-mark-1".utf8)
        // SAFETY: the library writes 16 bytes, and reads the purpose and the 32 bytes of the key.
        _ = unsafe crypto_generichash(
            &digest, digest.count, purpose, UInt64(purpose.count), memory.bytes, KeyMemory.size)
        return Array(digest.prefix(size))
    }
}
