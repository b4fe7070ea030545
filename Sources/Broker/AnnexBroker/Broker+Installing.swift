package import AnnexBrokerAPI
package import AnnexBundle
internal import AnnexLaunch
internal import AnnexPolicy
internal import AnnexRegistry
internal import Synchronization

extension Broker {
    package func install(app path: String) throws(BrokerError) -> [InstalledExtension] {
        let app: AppBundle
        do throws(BundleError) {
            app = try AppBundle.open(path)
        } catch {
            throw BrokerError(.invalidBundle, what: "\(error)", place: path)
        }
        // The policy is read and compiled now, so that a launch finds it ready and an invalid policy fails the
        // installation.
        for bundle in app.extensions where wishes.points.point(bundle.extensionPoint) != nil {
            try prepare(policy(for: bundle), for: bundle)
        }
        let (installed, dropped) = try registry.withLock { [points = wishes.points] (registry) throws(BrokerError) in
            let dropped = try registry.install(app, points: points)
            return (registry.described(app), dropped)
        }
        for rejection in installed.compactMap(\.rejection) { log.rejected(rejection) }
        // Failures of an old version do not count against the new one.
        failures.forget(installed.map(\.id) + dropped)
        end(dropped, for: .removed)
        for supervised in running.all { supervised.endIfParkedAndReplaced() }
        return installed
    }

    package func remove(app identifier: String) throws(BrokerError) {
        let gone = try registry.withLock { (registry) throws(BrokerError) in try registry.remove(identifier) }
        end(gone, for: .removed)
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

    package var extensions: [InstalledExtension] { registry.withLock { $0.extensions } }

    package var installed: [InstalledExtension] { registry.withLock { $0.installed } }

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
