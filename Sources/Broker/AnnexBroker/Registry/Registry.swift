internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexRegistry
internal import Synchronization

/// The installed apps by identifier, with their extensions.
struct Registry: Sendable {
    private var apps: [String: AppBundle] = [:]
    /// The extensions of all apps by identifier.
    private var bundles: [String: ExtensionBundle] = [:]
    /// The number of each extension's installation. `lastInstance` is the last number given.
    private var instances: [String: UInt64] = [:]
    private var lastInstance: UInt64 = 0
    /// What each extension's point says about it.
    private var standings: [String: Standing] = [:]
    /// The user's own choices: whether an extension is on.
    private var choices: [String: Bool] = [:]

    /// Adds an app, or replaces the app with the same identifier as a whole. An app cannot take over an extension of
    /// another app, although both `com.a` and `com.a.b` could carry a `com.a.b.c`.
    /// - Parameter points: the extension points, which decide about each extension.
    /// - Returns: the extensions that the app no longer carries.
    @discardableResult
    mutating func install(_ app: AppBundle, points: PointLibrary = .shipped) throws(BrokerError) -> [String] {
        for found in app.extensions {
            guard let owner = bundle(found.identifier)?.containingApp, owner != app.identifier else { continue }
            throw BrokerError(
                .invalidBundle, what: "is already the identifier of an extension of \(owner)", place: found.identifier,
                remedy: "give the extension of \(app.identifier) an identifier of its own")
        }
        // An extension that the app no longer carries loses its setting; if it comes back later, it counts as new.
        let kept = Set(app.extensions.map(\.identifier))
        let dropped = (apps[app.identifier]?.extensions ?? []).map(\.identifier).filter { !kept.contains($0) }
        forget(dropped)
        apps[app.identifier] = app
        for bundle in app.extensions {
            lastInstance += 1
            bundles[bundle.identifier] = bundle
            standings[bundle.identifier] = points.standing(of: bundle)
            instances[bundle.identifier] = lastInstance
        }
        return dropped
    }

    private mutating func forget(_ identifiers: [String]) {
        for identifier in identifiers {
            choices[identifier] = nil
            standings[identifier] = nil
            bundles[identifier] = nil
            instances[identifier] = nil
        }
    }

    /// Removes an app.
    /// - Returns: the extensions that were removed with it.
    mutating func remove(_ app: String) throws(BrokerError) -> [String] {
        guard let removed = apps.removeValue(forKey: app) else {
            throw BrokerError(
                .unknownApp, what: "is not installed", place: app,
                remedy: "installed apps: \(Self.shown(apps.keys.sorted()))")
        }
        let identifiers = removed.extensions.map(\.identifier)
        forget(identifiers)
        return identifiers
    }

    /// Identifiers for the text of an error, so few that they fit in a daemon's packet.
    static func shown(_ identifiers: [String]) -> String {
        let most = 20
        let rest = identifiers.count - most
        return identifiers.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    mutating func setEnabled(_ isEnabled: Bool, for identifier: String) { choices[identifier] = isEnabled }

    /// The user's choice or, if the user has made none, the default of the extension's point.
    func isEnabled(_ identifier: String) -> Bool {
        choices[identifier] ?? standings[identifier]?.isOnByDefault ?? true
    }

    /// Why hosts cannot begin an extension, whether it is on or off; nil if they can.
    func rejection(for identifier: String) -> BrokerError? { standings[identifier]?.rejection }

    func bundle(_ identifier: String) -> ExtensionBundle? { bundles[identifier] }

    /// The number of an extension's installation; nil if it is not installed. Every installation gets another number,
    /// even with the same files.
    func instance(of identifier: String) -> UInt64? { instances[identifier] }

    /// The extensions of an app as they were checked when it was installed.
    func bundles(of app: String) -> [ExtensionBundle] { apps[app]?.extensions ?? [] }

    func count(ofExtensionsBeside app: String) -> Int {
        apps.values.reduce(0) { $0 + ($1.identifier == app ? 0 : $1.extensions.count) }
    }

    /// All installed extensions, sorted by identifier.
    var installed: [InstalledExtension] { apps.values.flatMap(described).sorted { $0.id < $1.id } }

    /// All extensions that hosts can begin, sorted by identifier.
    var extensions: [InstalledExtension] { installed.filter(\.isOffered) }

    /// The extensions of an app: first those that keep all rules of packaging.
    func described(_ app: AppBundle) -> [InstalledExtension] {
        app.extensions.map { bundle in
            bundle.described(
                isEnabled: isEnabled(bundle.identifier), rejection: standings[bundle.identifier]?.rejection)
        } + app.rejected.map { $0.described(in: app) }
    }

    /// Why an extension was rejected before its identifier was read; nil if there is no such extension.
    /// - Parameter name: the extension's name in the list, or the identifier that it would have if it kept all rules.
    func rejection(of name: String) -> BrokerError? {
        for app in apps.values {
            for rejected in app.rejected {
                let described = rejected.described(in: app)
                if described.id == name || rejected.identifier == name { return described.rejection }
            }
        }
        return nil
    }
}

/// One broker's registry as an object of its own. A running extension asks it whether its installation is still
/// current, and must not keep the broker itself alive for that.
final class InstalledRegistry: Sendable {
    private let registry = Mutex(Registry())

    func withLock<Result, Failure: Error>(
        _ body: (inout sending Registry) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try registry.withLock(body)
    }

    /// Whether a launch would start the extension from this installation now.
    func isCurrent(_ identifier: String, instance: UInt64) -> Bool {
        registry.withLock { $0.instance(of: identifier) == instance }
    }
}

/// The installation that a launch found: the extension's bundle and the installation's number. The bundle stays on disk
/// as long as this value exists.
struct Installed: Sendable {
    let identifier: String
    let point: String
    private let instance: UInt64
    private let bundle: ExtensionBundle
    private let registry: InstalledRegistry

    init(_ bundle: ExtensionBundle, instance: UInt64, in registry: InstalledRegistry) {
        identifier = bundle.identifier
        point = bundle.extensionPoint
        self.bundle = bundle
        self.instance = instance
        self.registry = registry
    }

    /// Whether another installation has replaced this one, or the extension was removed.
    var isReplaced: Bool { !registry.isCurrent(identifier, instance: instance) }
}

// Extensions that are installed but cannot be begun, because they break a rule. A daemon lists 64 extensions in one
// packet, so the text about each is bounded, whatever its property list holds.

/// What an extension's point says about it.
struct Standing: Sendable {
    /// Why hosts cannot begin the extension; nil if they can.
    let rejection: BrokerError?
    /// Whether the extension is on before the user has switched it.
    let isOnByDefault: Bool
}

extension PointLibrary {
    fileprivate func standing(of bundle: ExtensionBundle) -> Standing {
        do throws(PointFault) {
            return Standing(rejection: nil, isOnByDefault: try point(of: bundle).isOnByDefault)
        } catch {
            let code: BrokerError.Code =
                switch error {
                case .unsupportedPoint: .unsupportedPoint
                case .wrongAttribute: .invalidBundle
                }
            let what = "\(error.error)".shortened(to: 800)
            return Standing(rejection: BrokerError(code, what: what, place: bundle.identifier), isOnByDefault: true)
        }
    }
}

extension ExtensionBundle {
    /// The extension's entry in the list of installed extensions.
    fileprivate func described(isEnabled: Bool, rejection: BrokerError?) -> InstalledExtension {
        InstalledExtension(
            id: identifier, displayName: rejection == nil ? displayName : displayName.shortened(to: 256),
            extensionPoint: extensionPoint, containingApp: containingApp, isEnabled: isEnabled, rejection: rejection)
    }
}

extension RejectedExtension {
    /// The extension's entry in the list of installed extensions. It is named by its path in its app, because its
    /// property list may be wrong.
    func described(in app: AppBundle) -> InstalledExtension {
        let name = "\(app.identifier)/\(place)"
        let rejection = BrokerError(.invalidBundle, what: "\(error)".shortened(to: 800), place: app.identifier)
        return InstalledExtension(
            id: name, displayName: place, extensionPoint: "", containingApp: app.identifier, rejection: rejection)
    }
}

extension String {
    /// The string, cut to `most` bytes and marked with "…" if it is longer.
    fileprivate func shortened(to most: Int) -> String {
        utf8.count <= most ? self : String(decoding: utf8.prefix(most), as: UTF8.self) + "…"
    }
}
