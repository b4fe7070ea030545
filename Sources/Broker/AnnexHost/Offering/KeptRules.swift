internal import AnnexActivation
internal import AnnexBrokerAPI
internal import Synchronization

/// The activation rules that a host has read, by the build of the extension.
///
/// A rule is kept by the digest of the app's files, because the same digest means the same files. If the broker has not
/// computed the digest, the rule is kept by the number of the app's installation. This is safe, because no launch uses
/// files that changed after the installation. Only a broker in this process gives such numbers. If an extension has
/// neither a digest nor a number, its rules are not kept.
final class KeptRules: Sendable {
    /// The most rules in the table. One more rule clears the table, because each rule can be read again.
    private static let most = 4_096
    /// The most bytes of all predicates. In memory, a predicate takes about twenty times as many bytes.
    private static let mostBytes = 1 << 20

    /// The identity of the files of an extension's app. It is nil if the files may change without notice.
    struct Key: Hashable {
        let instance: String
        let point: String
        /// The number of the installation, if the broker has not computed the app's digest.
        let installation: UInt64?

        init?(_ one: InstalledExtension) {
            guard one.build.digest != nil || one.installation != nil else { return nil }
            instance = one.instance
            point = one.extensionPoint
            installation = one.build.digest == nil ? one.installation : nil
        }
    }

    private struct Table {
        var rules: [Key: ActivationRule] = [:]
        var bytes = 0
    }

    private let table = Mutex(Table())

    func rule(of one: InstalledExtension) -> ActivationRule? {
        guard let key = Key(one) else { return nil }
        return table.withLock { $0.rules[key] }
    }

    func keep(_ rule: ActivationRule, of one: InstalledExtension) {
        guard let key = Key(one) else { return }
        table.withLock { table in
            if table.rules.count >= Self.most || table.bytes + rule.predicateBytes > Self.mostBytes { table = Table() }
            table.rules[key] = rule
            table.bytes += rule.predicateBytes
        }
    }
}
