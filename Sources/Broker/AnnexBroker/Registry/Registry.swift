internal import AnnexBrokerAPI
internal import AnnexBundle

/// What is installed: apps by identifier, and through them their extensions.
struct Registry: Sendable {
    private var apps: [String: AppBundle] = [:]
    /// Every app's extensions, each by its identifier.
    private var bundles: [String: ExtensionBundle] = [:]
    /// Which installation each extension is from, and the number of the last one.
    private var instances: [String: UInt64] = [:]
    private var lastInstance: UInt64 = 0
    /// Extensions that the user switched off.
    private var disabled: Set<String> = []

    /// Adds an app; one of the same identifier is replaced whole. An extension of another app's is never taken over:
    /// `com.a` and `com.a.b` may both carry a `com.a.b.c`.
    /// - Returns: the extensions that the app no longer carries.
    @discardableResult
    mutating func install(_ app: AppBundle) throws(BrokerError) -> [String] {
        for found in app.extensions {
            guard let owner = bundle(found.identifier)?.containingApp, owner != app.identifier else { continue }
            throw BrokerError(
                .invalidBundle, "is an extension of \(owner) already", place: found.identifier,
                remedy: "give the extension of \(app.identifier) an identifier of its own")
        }
        // What it no longer carries cannot be switched on any more: another time it is a new one.
        let kept = Set(app.extensions.map(\.identifier))
        let dropped = (apps[app.identifier]?.extensions ?? []).map(\.identifier).filter { !kept.contains($0) }
        forget(dropped)
        apps[app.identifier] = app
        for bundle in app.extensions {
            lastInstance += 1
            bundles[bundle.identifier] = bundle
            instances[bundle.identifier] = lastInstance
        }
        return dropped
    }

    private mutating func forget(_ identifiers: [String]) {
        disabled.subtract(identifiers)
        for identifier in identifiers {
            bundles[identifier] = nil
            instances[identifier] = nil
        }
    }

    /// Takes an app out.
    /// - Returns: the extensions that went with it.
    mutating func remove(_ app: String) throws(BrokerError) -> [String] {
        guard let removed = apps.removeValue(forKey: app) else {
            throw BrokerError(
                .unknownApp, "is not installed", place: app,
                remedy: "installed are: \(Self.shown(apps.keys.sorted()))")
        }
        let identifiers = removed.extensions.map(\.identifier)
        forget(identifiers)
        return identifiers
    }

    /// Identifiers for an error's words: so many that they fit into a daemon's packet.
    static func shown(_ identifiers: [String]) -> String {
        let most = 20
        let rest = identifiers.count - most
        return identifiers.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    mutating func setEnabled(_ isEnabled: Bool, _ identifier: String) {
        if isEnabled { disabled.remove(identifier) } else { disabled.insert(identifier) }
    }

    func isEnabled(_ identifier: String) -> Bool { !disabled.contains(identifier) }

    func bundle(_ identifier: String) -> ExtensionBundle? { bundles[identifier] }

    /// Which installation an extension is from: another number each time, also for the same files.
    func instance(of identifier: String) -> UInt64? { instances[identifier] }

    /// The extensions of an app, as they were checked at its installation.
    func bundles(of app: String) -> [ExtensionBundle] { apps[app]?.extensions ?? [] }

    func count(ofExtensionsBeside app: String) -> Int {
        apps.values.reduce(0) { $0 + ($1.identifier == app ? 0 : $1.extensions.count) }
    }

    /// Everything that is installed, by identifier.
    var installed: [InstalledExtension] { apps.values.flatMap(described).sorted { $0.id < $1.id } }

    /// Everything on offer, by identifier.
    var extensions: [InstalledExtension] { installed.filter(\.isOffered) }

    /// What an app carries: first what keeps all rules of packaging.
    func described(_ app: AppBundle) -> [InstalledExtension] {
        app.extensions.map { $0.described(isEnabled: isEnabled($0.identifier)) }
            + app.refused.map { $0.described(in: app) }
    }

    /// Why an extension is not on offer that was refused before its identifier counted.
    /// - Parameter name: as it is listed, or what it would be called if it kept all rules.
    func refusal(of name: String) -> BrokerError? {
        for app in apps.values {
            for refused in app.refused {
                let described = refused.described(in: app)
                if described.id == name || refused.identifier == name { return described.refusal }
            }
        }
        return nil
    }
}
