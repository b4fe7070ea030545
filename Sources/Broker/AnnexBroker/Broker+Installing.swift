package import AnnexBrokerAPI
package import AnnexBundle
internal import AnnexLaunch
internal import AnnexPolicy
internal import AnnexRegistry
internal import Synchronization

extension Broker {
    package func install(app path: String) throws(BrokerError) -> [InstalledExtension] {
        let (installed, gone) = try replace(app: path)
        privates.remove(gone)
        return installed
    }

    /// Installs an app, and leaves the private directories of extensions that it no longer contains.
    /// - Returns: the installed extensions, and what private directories are of no use any more.
    package func replace(
        app path: String
    ) throws(BrokerError) -> (installed: [InstalledExtension], gone: [PrivateSubject]) {
        let app = try Self.open(path)
        let accepted = try signatures.accept(app, at: path)
        do throws(BrokerError) {
            return try register(app, signature: accepted.signature)
        } catch {
            if accepted.isNewPin { try? signatures.forgetPin(of: app.identifier) }
            throw error
        }
    }

    /// Registers an app of a store that was checked when it was installed there. Its files are not read again: each launch
    /// checks those that it needs.
    package func load(app path: String) throws(BrokerError) -> [InstalledExtension] {
        let app = try Self.open(path)
        return try register(app, signature: try signatures.load(app, at: path)).installed
    }

    private static func open(_ path: String) throws(BrokerError) -> AppBundle {
        do throws(BundleError) {
            return try AppBundle.open(path)
        } catch {
            throw BrokerError(.invalidBundle, what: "\(error)", place: path)
        }
    }

    private func register(
        _ app: AppBundle, signature: AppSignature
    ) throws(BrokerError) -> (installed: [InstalledExtension], gone: [PrivateSubject]) {
        // The policy is read and compiled now, so that a launch finds it ready and an invalid policy fails the
        // installation.
        for bundle in app.extensions where wishes.points.point(bundle.extensionPoint) != nil {
            try prepare(policy(for: bundle), for: bundle)
        }
        let (installed, dropped) = try registry.withLock { [points = wishes.points] (registry) throws(BrokerError) in
            let dropped = try registry.install(app, points: points)
            signatures.record(signature, for: app)
            return (registry.described(app), dropped)
        }
        for rejection in installed.compactMap(\.rejection) { log.rejected(rejection) }
        // Failures of an old version do not count against the new one.
        failures.forget(installed.map(\.id) + dropped)
        end(dropped, for: .removed)
        for supervised in running.all { supervised.endIfParkedAndReplaced() }
        return (signatures.named(installed), dropped.map { .extension($0, of: app.identifier) })
    }

    package func remove(app identifier: String) throws(BrokerError) {
        try forget(app: identifier)
        privates.remove([.app(identifier)])
        try forgetTeam(of: identifier)
    }

    /// Removes an app, and leaves its private directories and its pin to a team.
    package func forget(app identifier: String) throws(BrokerError) {
        let gone = try registry.withLock { (registry) throws(BrokerError) in
            let gone = try registry.remove(identifier)
            signatures.drop(identifier)
            return gone
        }
        end(gone, for: .removed)
    }

    /// Lets any team sign an app that the user has removed.
    package func forgetTeam(of app: String) throws(BrokerError) { try signatures.forgetPin(of: app) }

    package func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam {
        try signatures.trust(key: key, for: app)
    }

    package func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        let isKnown = registry.withLock { registry in
            guard registry.bundle(identifier) != nil else { return false }
            registry.setEnabled(isEnabled, for: identifier)
            return true
        }
        guard isKnown else { throw absent(identifier) }
        if !isEnabled { end([identifier], for: .disabled) }
    }

    /// The app that carries an extension, whether the extension is switched on or off.
    package func app(carrying identifier: String) throws(BrokerError) -> String {
        guard let bundle = registry.withLock({ $0.bundle(identifier) }) else { throw absent(identifier) }
        return bundle.containingApp
    }

    /// How many extensions all apps except `app` carry, switched on or off.
    package func count(ofExtensionsBeside app: String) -> Int {
        registry.withLock { $0.count(ofExtensionsBeside: app) }
    }

    package var extensions: [InstalledExtension] { signatures.named(registry.withLock { $0.extensions }) }

    package var installed: [InstalledExtension] { signatures.named(registry.withLock { $0.installed }) }

    /// The bundle that a launch needs, and the number of its installation.
    func installed(_ identifier: String) throws(BrokerError) -> (bundle: ExtensionBundle, instance: UInt64) {
        let (bundle, instance, isEnabled, rejection) = registry.withLock {
            (
                $0.bundle(identifier), $0.instance(of: identifier), $0.isEnabled(identifier),
                $0.rejection(for: identifier)
            )
        }
        guard let bundle, let instance else { throw absent(identifier) }
        if let rejection { throw rejection }
        guard isEnabled else {
            throw BrokerError(.disabled, what: "is switched off", place: identifier, remedy: "switch it on")
        }
        return (bundle, instance)
    }

    /// The bundles of an app's extensions, as they were checked when the app was installed. A running extension holds
    /// its bundle, which shows that the bundle is in use.
    package func bundles(of app: String) -> [ExtensionBundle] { registry.withLock { $0.bundles(of: app) } }

    /// Why an extension must not run; nil if it may.
    func causeAgainst(_ identifier: String) -> EndCause? {
        registry.withLock { registry in
            guard registry.bundle(identifier) != nil else { return .removed }
            return registry.isEnabled(identifier) ? nil : .disabled
        }
    }

    private func end(_ identifiers: [String], for cause: EndCause) {
        for supervised in running.all where identifiers.contains(supervised.identifier) { supervised.end(for: cause) }
    }

    /// The error for an extension that is not installed.
    private func absent(_ identifier: String) -> BrokerError {
        if let rejection = registry.withLock({ $0.rejection(of: identifier) }) { return rejection }
        return BrokerError(
            .unknownExtension, what: "is not installed", place: identifier,
            remedy: "install the app that contains it; installed extensions: \(Registry.shown(extensions.map(\.id)))")
    }

    private func prepare(_ policy: Policy, for bundle: ExtensionBundle) throws(BrokerError) {
        // If this machine lacks seccomp and the host has waived that layer, there is nothing to compile.
        guard launcher.gives(.seccomp) else { return }
        do throws(PolicyError) {
            _ = try policy.filter()
        } catch {
            throw BrokerError(.invalidPolicy, what: "\(error)", place: bundle.identifier)
        }
    }
}
