internal import AnnexBundle
internal import AnnexService

/// What is installed: apps by identifier, and through them their extensions.
struct Registry: Sendable {
    private var apps: [String: AppBundle] = [:]

    /// Adds an app; one of the same identifier is replaced whole.
    mutating func install(_ app: AppBundle) {
        apps[app.identifier] = app
    }

    func bundle(_ identifier: String) -> ExtensionBundle? {
        for app in apps.values {
            if let found = app.extensions.first(where: { $0.identifier == identifier }) { return found }
        }
        return nil
    }

    /// Everything on offer, by identifier.
    var extensions: [InstalledExtension] {
        apps.values.flatMap(\.extensions).map(InstalledExtension.init).sorted { $0.id < $1.id }
    }
}

extension InstalledExtension {
    init(_ bundle: ExtensionBundle) {
        self.init(
            id: bundle.identifier, displayName: bundle.displayName, extensionPoint: bundle.extensionPoint,
            containingApp: bundle.containingApp)
    }
}
