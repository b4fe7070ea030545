package import AnnexBrokerAPI
package import AnnexBundle
internal import AnnexLinux
internal import AnnexModel
package import AnnexRegistry
internal import AnnexSupervision

extension Broker {
    package func install(app path: String, granting: [String]) throws(BrokerError) -> [InstalledExtension] {
        try install(Self.opened(path), at: path, granting: granting) { _ in }
    }

    /// Checks the signature of an app that is already opened and checked, and installs the app.
    ///
    /// - Parameters:
    ///   - path: the app's path for errors.
    ///   - granting: entitlements that the user grants. Each extension of the app gets the granted entitlements that it
    ///     asks for.
    ///   - most: how many versions of the app the registry keeps.
    ///   - keep: records the change in a place that outlasts the broker. If `keep` throws, nothing has changed.
    package func install(
        _ app: AppBundle, at path: String, granting: [String] = [], keeping most: Int = 2,
        recording keep: (Installation) throws(BrokerError) -> Void
    ) throws(BrokerError) -> [InstalledExtension] {
        let accepted = try signatures.accept(app, at: path)
        return try forgettingPin(of: app, if: accepted.isNewPin) { () throws(BrokerError) in
            let digest = accepted.signature.digest
            let installation = try put(app, granting: granting, signature: accepted.signature, recording: keep) {
                [points = wishes.points] registry throws(RegistryError) in
                try registry.install(app, digest: digest, points: points, keeping: most)
            }
            // If the app no longer contains an extension, that extension's private files are not needed any more.
            privates.remove(installation.gone)
            return described(installation)
        }
    }

    /// Installs an app again from its record. The broker does not read the app's files now: each launch checks the
    /// files that it needs. The first launch of an unsigned app reads all files.
    /// - Returns: the app as it is recorded from now on.
    package func restore(_ app: AppBundle, as known: KnownApp) throws(BrokerError) -> KnownApp {
        let signature = try signatures.load(app, at: known.elected.path, digest: known.elected.digest)
        let installation = try put(app, isNews: false, signature: signature, recording: { _ in }) {
            [points = wishes.points] registry throws(RegistryError) in
            try registry.restore(app, as: known, points: points)
        }
        return installation.known
    }

    package func pin(app identifier: String, to version: String?) throws(BrokerError) -> [InstalledExtension] {
        try pin(app: identifier, to: version) { _, _ in }
    }

    /// Chooses which version of an app hosts get. The caller records the change in `keep`, which also gets the bundle
    /// of the chosen version.
    ///
    /// If the chosen version lacks an extension, the private directory of that extension stays. Later, the user may
    /// choose a version that contains the extension.
    package func pin(
        app identifier: String, to version: String?,
        recording keep: (Installation, AppBundle) throws(BrokerError) -> Void
    ) throws(BrokerError) -> [InstalledExtension] {
        let number = try version.map { text throws(BrokerError) in try BundleVersion(text, of: identifier) }
        let build = try BrokerError.wrapping { () throws(RegistryError) in
            try registry.value.build(of: identifier, version: number)
        }
        let app = try Self.opened(build.path)
        let accepted = try signatures.accept(app, at: build.path, mayBeOlder: true)
        return try forgettingPin(of: app, if: accepted.isNewPin) { () throws(BrokerError) in
            let installation = try put(
                app, signature: accepted.signature,
                recording: { installation throws(BrokerError) in try keep(installation, app) }
            ) { [points = wishes.points] registry throws(RegistryError) in
                try registry.pin(app, digest: accepted.signature.digest, to: number, points: points)
            }
            return described(installation)
        }
    }

    private func forgettingPin<Result>(
        of app: AppBundle, if isNew: Bool, _ work: () throws(BrokerError) -> Result
    ) throws(BrokerError) -> Result {
        do throws(BrokerError) {
            return try work()
        } catch {
            if isNew { try? signatures.forgetPin(of: app.identifier) }
            throw error
        }
    }

    /// Makes a change that puts a version of an app into use. If the team of this version differs from the team of the
    /// version used so far, the user's grants end.
    private func put(
        _ app: AppBundle, isNews: Bool = true, granting: [String] = [], signature: AppSignature,
        recording keep: (Installation) throws(BrokerError) -> Void,
        _ body: (inout Registry) throws(RegistryError) -> Installation
    ) throws(BrokerError) -> Installation {
        let installation = try change(
            isNews: isNews,
            recording: { installation throws(BrokerError) in
                for record in installation.records { try prepare(record) }
                try keep(installation)
                // The signature is recorded before the registry changes, so that no launch finds a bundle without its
                // seal.
                if installation.isElected { signatures.record(signature, for: app) }
            }
        ) { [signatures] (registry: inout Registry) throws(RegistryError) -> Installation in
            let installation = try body(&registry)
            let isSameTeam = signatures.isOfSameTeam(signature, for: app)
            return try registry.grant(
                granting, to: isSameTeam ? installation : registry.endGrants(of: installation))
        }
        log.endedGrants(installation.endedGrants)
        for rejection in installation.records.compactMap(\.rejection) where rejection.code != .superseded {
            log.rejected(rejection)
        }
        // Failures of an old version do not count against the new version.
        if installation.isElected {
            failures.forget(installation.records.map(\.identifier) + installation.dropped)
        }
        end(installation.dropped, for: .removed)
        for supervised in running.all { supervised.endIfParkedAndReplaced() }
        return installation
    }

    private func described(_ installation: Installation) -> [InstalledExtension] {
        let registry = registry.value
        let extensions = installation.records.map { record in
            var one = record.described(in: registry)
            one.endedGrants = (installation.endedGrants[record.identifier] ?? []).sorted()
            return one
        }
        return signatures.named(extensions)
    }

    /// Changes the registry, records the change, and announces it.
    func change<Result: Sendable>(
        isNews: Bool = true, recording keep: (Result) throws(BrokerError) -> Void,
        _ body: (inout Registry) throws(RegistryError) -> Result
    ) throws(BrokerError) -> Result {
        let result = try registry.change { (registry) throws(BrokerError) in
            let result = try BrokerError.wrapping { () throws(RegistryError) in try body(&registry) }
            try keep(result)
            return result
        }
        for supervised in running.all { supervised.boundHosts() }
        if isNews { onChange(feed.announce()) }
        return result
    }

    private static func opened(_ path: String) throws(BrokerError) -> AppBundle {
        do throws(BundleError) {
            return try AppBundle.open(path)
        } catch {
            throw BrokerError(.invalidBundle, what: "\(error)", place: path)
        }
    }
}

extension Broker {
    package func remove(app identifier: String) throws(BrokerError) {
        let removed = try forget(app: identifier)
        privates.remove([.app(removed)])
        try forgetTeam(of: removed)
    }

    /// Removes an app, but keeps its private directories and its pin to a team.
    /// - Returns: the app's identifier as its bundle states it.
    @discardableResult
    package func forget(app identifier: String) throws(BrokerError) -> String {
        let removed = try change(recording: { self.signatures.drop($0.known.identifier) }) {
            registry throws(RegistryError) in
            try registry.remove(identifier)
        }
        end(removed.dropped, for: .removed)
        appPortals.end(of: removed.known.identifier)
        return removed.known.identifier
    }

    /// Forgets to which team an app is pinned. The user has removed this app. After that, any team may sign the app.
    package func forgetTeam(of app: String) throws(BrokerError) { try signatures.forgetPin(of: app) }

    package func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam {
        try signatures.trust(key: key, for: app)
    }

    /// Forgets an unused version of an app. If the version is in use or unknown, nothing happens.
    package func forget(
        _ build: AppBuild, of app: String, recording keep: (KnownApp) throws(BrokerError) -> Void
    ) throws(BrokerError) {
        _ = try change(recording: keep) { registry throws(RegistryError) in try registry.forget(build, of: app) }
    }

    package func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        try setEnabled(isEnabled, for: identifier) { _ in }
    }

    package func setEnabled(
        _ isEnabled: Bool, for identifier: String, recording keep: (KnownApp) throws(BrokerError) -> Void
    ) throws(BrokerError) {
        let record = try found(identifier)
        // If the bundle of an extension could not be read, the identifier of the extension is not certain. So the
        // broker does not record whether the user wants this extension to be on or off.
        if record.bundle == nil, let rejection = record.rejection { throw rejection }
        _ = try change(recording: keep) { registry throws(RegistryError) in
            try registry.setEnabled(isEnabled, for: identifier)
        }
        if !isEnabled { end([identifier], for: .disabled) }
    }

    private func end(_ identifiers: [String], for cause: EndCause) {
        let keys = Set(identifiers.map(BundleIdentifier.folded))
        for supervised in running.all where keys.contains(BundleIdentifier.folded(supervised.identifier)) {
            supervised.end(for: cause)
        }
    }
}

extension Broker {
    package func open(_ url: String) throws(BrokerError) -> String { try opener.open(url) }

    /// How many extensions all apps except `app` contain. Extensions that are switched off count too.
    package func count(ofExtensionsBeside app: String) -> Int { registry.value.count(ofExtensionsBeside: app) }

    package var changes: InstalledChanges { feed.follow() }

    /// The bundles of an app's extensions, as the installation of the app checked them. A running extension keeps its
    /// bundle's object alive, so a weak reference to the bundle shows whether an extension still runs from it.
    package func bundles(of app: String) -> [ExtensionBundle] { registry.value.bundles(of: app) }

    /// The bundle that a launch needs, and its record.
    func installed(_ identifier: String) throws(BrokerError) -> (bundle: ExtensionBundle, record: ExtensionRecord) {
        let record = try found(identifier)
        if let rejection = record.rejection { throw rejection }
        guard let bundle = record.bundle, registry.value.isEnabled(identifier) else {
            throw BrokerError(.disabled, what: "is switched off", place: identifier, remedy: "switch it on")
        }
        return (bundle, record)
    }

    func found(_ identifier: String) throws(BrokerError) -> ExtensionRecord {
        try BrokerError.wrapping { () throws(RegistryError) in try registry.value.found(identifier) }
    }

    /// The cause for which an extension must not run; nil if it may run.
    func causeAgainst(_ identifier: String) -> EndCause? {
        let registry = registry.value
        guard registry.record(identifier) != nil else { return .removed }
        return registry.isEnabled(identifier) ? nil : .disabled
    }
}

extension BundleVersion {
    /// Makes a version number from the text with which a user named a version of an app.
    fileprivate init(_ version: String, of app: String) throws(BrokerError) {
        guard let number = BundleVersion(version) else {
            throw BrokerError(
                .unknownVersion, what: "has no version \(Escaped(version, limit: 64)), which is not a version at all",
                place: app, remedy: "write whole numbers between dots, such as 1.4.12")
        }
        self = number
    }
}
