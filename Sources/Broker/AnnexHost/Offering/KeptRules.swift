internal import AnnexActivation
internal import AnnexBrokerAPI
internal import Synchronization

/// The activation rules that a host has read, by the build of the extension.
///
/// An app that the broker has measured is the same files for as long as its digest is the same. A broker in this process
/// numbers its installations, and no launch takes files that changed since. Rules of other extensions are not kept.
final class KeptRules: Sendable {
    /// The most rules. The next one clears the table: each can be read again.
    private static let most = 4_096
    /// The most bytes of all predicates. In memory, a predicate takes some twenty times as much.
    private static let mostBytes = 1 << 20

    /// What identifies the files of an extension's app; nil if they may change without notice.
    struct Key: Hashable {
        let instance: String
        let point: String
        /// The number of the installation, if the broker has not measured the app.
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
