internal import AnnexBundle

/// An extension as a launch found it installed: its bundle, which stays on disk for as long as anybody holds it, and which
/// installation it is from.
struct Installed: Sendable {
    let identifier: String
    private let instance: UInt64
    private let bundle: ExtensionBundle
    private let registry: InstalledRegistry

    init(_ bundle: ExtensionBundle, instance: UInt64, in registry: InstalledRegistry) {
        identifier = bundle.identifier
        self.bundle = bundle
        self.instance = instance
        self.registry = registry
    }

    /// Whether another installation has taken this one's place, or the extension was removed.
    var isReplaced: Bool { !registry.isCurrent(identifier, instance: instance) }
}
