/// The secrets of one group. They are sealed with the user's key and kept in the group's store.
package struct GroupSecrets: Sendable {
    private let store: GroupStore
    private let sealing: SecretSealing

    package init(_ store: GroupStore, sealing: SecretSealing) {
        self.store = store
        self.sealing = sealing
    }

    /// The place from which the user's key comes.
    package var keySource: SecretKeySource { sealing.key.source }

    /// Stores a secret, and replaces an earlier secret of the same name. After the call has returned, a power failure
    /// does not lose the secret.
    /// - Throws: `full` if a limit would be exceeded; the call then changes nothing.
    package func set(_ name: String, to secret: [UInt8]) throws(StoreError) {
        try store.setSecret(name, to: sealing.seal(secret, as: name))
    }

    /// The secret of this name; nil if there is none.
    package func value(_ name: String) throws(StoreError) -> [UInt8]? {
        guard let sealed = try store.secret(name) else { return nil }
        return try sealing.open(sealed, as: name)
    }

    /// Removes a secret. A secret can be removed even if the key that sealed the secret is lost.
    /// - Returns: whether there was a secret of this name.
    @discardableResult
    package func remove(_ name: String) throws(StoreError) -> Bool { try store.removeSecret(name) }

    /// The names of all secrets, sorted.
    package func names() throws(StoreError) -> [String] { try store.secretNames() }
}
