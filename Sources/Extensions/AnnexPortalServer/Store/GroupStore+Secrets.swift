/// The limits of a group's secrets.
package enum SecretLimits {
    package static let secrets = 1024
    package static let nameBytes = 256
    /// The number of bytes that a secret may have before it is sealed.
    package static let bytes = 64 << 10
    /// Room for the bytes that sealing adds to a secret: a version, the mark of the key, a nonce and a tag.
    static let sealBytes = 64
}

/// A secret as it is stored on the disk. The store does not know the format of the bytes.
struct SealedSecret: Sendable, Hashable {
    let bytes: [UInt8]
}

/// The sealed secrets of a group. After a call that changes them has returned, the change survives a power failure.
/// The names are not sealed.
extension GroupStore {
    /// Stores a sealed secret, and replaces an earlier secret of the same name.
    /// - Throws: `full` if the secret is too large, or if the group has too many secrets; the call then changes
    ///   nothing.
    func setSecret(_ name: String, to sealed: SealedSecret) throws(StoreError) {
        try Self.checkSecret(name)
        guard sealed.bytes.count <= SecretLimits.bytes + SecretLimits.sealBytes else {
            throw StoreError(
                .full, what: "the secret is larger than \(SecretLimits.bytes) bytes",
                remedy: "make it smaller")
        }
        try transact(as: .durable) { (database) throws(StoreError) in
            try database.run(
                "INSERT INTO secret VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed",
                with: [.text(name), .bytes(sealed.bytes)])
            let count = try database.number("SELECT count(*) FROM secret") ?? 0
            guard count <= SecretLimits.secrets else {
                throw StoreError(
                    .full, what: "the group has \(SecretLimits.secrets) secrets", remedy: "remove secrets")
            }
        }
    }

    /// The sealed secret of this name; nil if there is none.
    func secret(_ name: String) throws(StoreError) -> SealedSecret? {
        try Self.checkSecret(name)
        return try use { (database) throws(StoreError) in
            var found: SealedSecret?
            try database.run("SELECT sealed FROM secret WHERE name = ?1", with: [.text(name)]) { row in
                found = SealedSecret(bytes: row.bytes(0))
            }
            return found
        }
    }

    /// Removes a secret.
    /// - Returns: whether there was a secret of this name.
    @discardableResult
    package func removeSecret(_ name: String) throws(StoreError) -> Bool {
        try Self.checkSecret(name)
        return try transact(as: .durable) { (database) throws(StoreError) in
            try database.run("DELETE FROM secret WHERE name = ?1", with: [.text(name)])
            return database.changedRows > 0
        }
    }

    /// The names of all secrets, sorted by their bytes.
    package func secretNames() throws(StoreError) -> [String] {
        try use { (database) throws(StoreError) in
            var names: [String] = []
            try database.run("SELECT name FROM secret ORDER BY name") { row in names.append(row.text(0)) }
            return names
        }
    }

    private static func checkSecret(_ name: String) throws(StoreError) {
        try StoreBounds.check(name, named: "the name of a secret", within: 1...SecretLimits.nameBytes)
    }
}
