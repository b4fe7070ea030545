internal import AnnexBundle

/// The installation that a launch found: the extension's bundle and the installation's number. The bundle stays on disk
/// as long as this value exists.
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

    /// Whether another installation has replaced this one, or the extension was removed.
    var isReplaced: Bool { !registry.isCurrent(identifier, instance: instance) }
}
