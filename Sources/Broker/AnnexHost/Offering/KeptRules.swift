internal import AnnexActivation
internal import AnnexBrokerAPI
internal import Synchronization

/// The activation rules that this process has read, by the build of the extension.
///
/// An app that the broker has measured is the same files for as long as its digest is the same. Rules of other apps are
/// not kept.
final class KeptRules: Sendable {
    static let shared = KeptRules()

    /// The most rules. A rule may take some hundred kilobytes, so their number is small. The next one clears the table: each
    /// can be read again.
    private static let most = 256

    private struct Key: Hashable {
        let instance: String
        let point: String
    }

    private let rules = Mutex<[Key: ActivationRule]>([:])

    func rule(of one: InstalledExtension) -> ActivationRule? {
        guard one.build.digest != nil else { return nil }
        return rules.withLock { $0[Key(instance: one.instance, point: one.extensionPoint)] }
    }

    func keep(_ rule: ActivationRule, of one: InstalledExtension) {
        guard one.build.digest != nil else { return }
        rules.withLock { rules in
            if rules.count >= Self.most { rules.removeAll() }
            rules[Key(instance: one.instance, point: one.extensionPoint)] = rule
        }
    }
}
