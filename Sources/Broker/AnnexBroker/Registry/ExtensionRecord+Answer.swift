internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexModel
internal import AnnexPolicy
internal import AnnexRegistry

// A daemon lists up to 64 extensions in one packet. So the text about each extension is bounded, whatever its property
// list contains.

extension ExtensionRecord {
    /// The error because of which hosts cannot begin the extension; nil if they can begin it.
    var rejection: BrokerError? {
        switch verdict {
        case .offered: nil
        case .unsupportedPoint(let error):
            BrokerError(.unsupportedPoint, what: "\(error)".shortened(to: 800), place: identifier)
        case .broken(let error):
            // If an extension was rejected early, its identifier contains its path. The error's text also contains this
            // path, so the place is only the app.
            BrokerError(
                .invalidBundle, what: "\(error)".shortened(to: 800),
                place: bundle == nil ? info.containingApp : identifier)
        case .superseded(let version, let isPinned):
            BrokerError(
                .superseded,
                what: "version \(instance.version) is installed, but \(version) is used"
                    + (isPinned ? ", because it was chosen" : ", because it is higher"),
                place: identifier, remedy: "annex pin \(info.containingApp) \(instance.version)")
        }
    }

    /// The extension's entry in the list of installed extensions.
    func described(in registry: Registry) -> InstalledExtension {
        let rejection = rejection
        let known = registry.builds(of: info.containingApp)
        let others = known?.builds.map(\.version).filter { $0 != instance.version }.sorted(by: >) ?? []
        var installed = InstalledExtension(
            id: identifier, displayName: rejection == nil ? info.displayName : info.displayName.shortened(to: 256),
            extensionPoint: info.extensionPoint, containingApp: info.containingApp,
            isEnabled: registry.isEnabled(identifier), rejection: rejection,
            build: InstalledExtension.Build(
                version: instance.version.text, digest: instance.digest.map { String($0.prefix(16)) },
                isPinned: known?.pinned == instance.version, otherVersions: others.prefix(3).map(\.text)))
        // Records of unused builds and of broken bundles have no installation number.
        installed.installation = number == 0 ? nil : number
        installed.entitlements = described(registry.entitlements(of: self))
        installed.surfaces = info.surfaces
        return installed
    }

    /// The list contains at most this many entitlements that the point does not allow.
    private static let mostRefused = 2

    private func described(_ states: [EntitlementState]) -> [InstalledExtension.Entitlement] {
        let shown = states.filter(\.isAllowed) + states.filter { !$0.isAllowed }.prefix(Self.mostRefused)
        return shown.map {
            InstalledExtension.Entitlement(
                name: $0.name.shortened(to: 128), isAllowed: $0.isAllowed, isGranted: $0.isGranted,
                hosts: $0.hosts.map(\.description))
        }
    }
}

extension BrokerError {
    init(_ error: RegistryError) {
        let code: Code =
            switch error.code {
            case .unknownApp: .unknownApp
            case .unknownExtension: .unknownExtension
            case .unknownVersion: .unknownVersion
            case .takenIdentifier, .changedApp: .invalidBundle
            case .wrongEntitlement: .wrongEntitlement
            }
        self.init(code, what: error.what, place: error.place, remedy: error.remedy)
    }

    static func wrapping<Result>(
        _ work: () throws(RegistryError) -> Result
    ) throws(BrokerError) -> Result {
        do throws(RegistryError) {
            return try work()
        } catch {
            throw BrokerError(error)
        }
    }
}

extension String {
    /// The string, cut to `most` bytes and marked with "…" if it is longer.
    fileprivate func shortened(to most: Int) -> String {
        utf8.count <= most ? self : String(decoding: utf8.prefix(most), as: UTF8.self) + "…"
    }
}
