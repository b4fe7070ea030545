internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLinux
internal import AnnexModel
internal import AnnexRegistry
internal import AnnexSigning
internal import Glibc
internal import Synchronization

// All of this code runs on the lane of changes, one change after another.

extension DaemonUser {
    /// Copies an app into the store, checks the copy, and installs it in place of the app with the same identifier.
    func install(
        _ handed: HandedOver, named name: String, granting: [String]
    ) throws(BrokerError) -> [InstalledExtension] {
        let resources = try ready()
        guard handed.count == 1, let archive = handed.popFirst() else {
            throw BrokerError(
                .invalidBundle, what: "came with \(handed.count) descriptors instead of its archive", place: name,
                remedy: "install the app with the library or with annex install")
        }
        let made = try resources.store.unpack(archive, as: name, in: space) { hasRoom(for: $0, in: resources) }
        // The sizes are recorded while the new app's bytes are still reserved. So these bytes are never missing from
        // the sum.
        defer { withExtendedLifetime(made) { space.record(resources.store.bytes, at: resources.store.path) } }
        do throws(BrokerError) {
            let app = try opened("\(resources.store.path)/\(made.folder)/\(name)", named: name)
            try check(app, in: resources)
            SealedApp.protect(app)
            return try register(app, unpacked: made, granting: granting, in: resources)
        } catch {
            resources.store.discard(made.folder)
            throw error.place.hasPrefix(resources.store.path)
                ? BrokerError(error.code, what: error.what, place: name, remedy: error.remedy) : error
        }
    }

    private func opened(_ path: String, named name: String) throws(BrokerError) -> AppBundle {
        do throws(BundleError) {
            return try AppBundle.open(path)
        } catch {
            throw BrokerError(.invalidBundle, what: "\(error)", place: name)
        }
    }

    /// Whether there is room for this many bytes of an app. To make room, this function removes versions that are not
    /// in use, the largest first.
    private func hasRoom(for bytes: Int64, in resources: UserResources) -> Bool {
        let spares = resources.store.index.withLock { $0.apps }
            .flatMap { app in app.others.map { (app, $0) } }.sorted { $0.1.bytes > $1.1.bytes }
        for (app, spare) in spares where bytes > resources.store.room(within: options.limits.installedBytes) {
            let build = AppBuild(
                version: spare.number, digest: spare.digest, path: resources.store.path(of: spare))
            try? resources.broker.forget(build, of: app.identifier) { known throws(BrokerError) in
                try record(known, in: resources)
            }
            resources.store.sweep()
        }
        return bytes <= resources.store.room(within: options.limits.installedBytes)
    }

    private func check(_ app: AppBundle, in resources: UserResources) throws(BrokerError) {
        let key = BundleIdentifier.folded(app.identifier)
        let others = resources.store.index.withLock { index in
            index.apps.count { BundleIdentifier.folded($0.identifier) != key }
        }
        let extensions = resources.broker.count(ofExtensionsBeside: app.identifier) + app.extensions.count
        guard others < options.limits.apps, extensions <= options.limits.extensions else {
            throw BrokerError(
                .overQuota,
                what:
                    "exceeds the user's limit of \(options.limits.apps) apps and \(options.limits.extensions) extensions",
                place: app.identifier, remedy: "remove apps that you do not need")
        }
    }

    private func register(
        _ app: AppBundle, unpacked made: AppStore.Unpacked, granting: [String], in resources: UserResources
    ) throws(BrokerError) -> [InstalledExtension] {
        let build = StoreIndex.Build(
            version: app.version.text, folder: made.folder, name: made.name, bytes: made.bytes)
        let path = resources.store.path(of: build)
        let extensions = try resources.broker.install(
            app, at: path, granting: granting, keeping: options.limits.versions
        ) { installation throws(BrokerError) in
            try removing(installation.gone, in: resources) { () throws(BrokerError) in
                try record(installation.known, adding: build, in: resources)
            }
        }
        resources.store.use(build, by: app.extensions)
        sweep()
        return extensions
    }

    /// Chooses which installed version of an app is used.
    func pin(app identifier: String, to version: String?) throws(BrokerError) -> [InstalledExtension] {
        let resources = try ready()
        let extensions = try resources.broker.pin(app: identifier, to: version) {
            installation, app throws(BrokerError) in
            try record(installation.known, in: resources)
            let path = installation.known.elected.path
            let build = resources.store.index.withLock { index in
                index.apps.flatMap(\.builds).first { resources.store.path(of: $0) == path }
            }
            if let build { resources.store.use(build, by: app.extensions) }
        }
        sweep()
        return extensions
    }

    func remove(app identifier: String) throws(BrokerError) {
        let resources = try ready()
        let key = BundleIdentifier.folded(identifier)
        guard
            let app = resources.store.index.withLock({ index in
                index.apps.first { BundleIdentifier.folded($0.identifier) == key }
            })
        else {
            // The broker throws the error, which names the installed apps.
            return try resources.broker.remove(app: identifier)
        }
        let gone = [PrivateSubject.app(app.identifier)]
        try removing(gone, in: resources) { () throws(BrokerError) in
            try change(resources, place: identifier) { index in
                index.apps.removeAll { $0.identifier == app.identifier }
            }
        }
        // The broker does not know an app that could not be loaded, so the broker's error is ignored.
        _ = try? resources.broker.forget(app: identifier)
        resources.broker.removePrivateDirectories(of: gone)
        for build in app.builds { resources.store.leave(build) }
        sweep()
        space.record(resources.store.bytes, at: resources.store.path)
        // This step comes last, because it may fail. The next start forgets the pins of apps that are not installed.
        try resources.broker.forgetTeam(of: app.identifier)
    }

    /// Announces the removal of private directories, so that the removal is not lost if the daemon is killed after
    /// `body`. If `body` fails, nothing is removed.
    private func removing(
        _ gone: [PrivateSubject], in resources: UserResources, _ body: () throws(BrokerError) -> Void
    ) throws(BrokerError) {
        do throws(BrokerError) {
            try resources.broker.announceRemoval(of: gone)
            try body()
        } catch {
            resources.broker.withdrawRemoval(of: gone)
            throw error
        }
    }

    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        let resources = try ready()
        try resources.broker.setEnabled(isEnabled, for: identifier) { known throws(BrokerError) in
            try record(known, in: resources)
        }
    }

    func setGranted(
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        let resources = try ready()
        return try resources.broker.setGranted(isGranted, entitlements: entitlements, hosts: hosts, for: identifier) {
            known throws(BrokerError) in
            try record(known, in: resources)
        }
    }

    /// Records an app as the registry will list it. Only the disk can fail here, and if the disk fails, nothing has
    /// changed.
    /// - Parameter build: a build that the index does not name yet.
    private func record(
        _ known: KnownApp, adding build: StoreIndex.Build? = nil, in resources: UserResources
    ) throws(BrokerError) {
        let store = resources.store
        let key = BundleIdentifier.folded(known.identifier)
        let old = store.index.withLock { index in
            index.apps.first { BundleIdentifier.folded($0.identifier) == key }
        }
        let builds = (old?.builds ?? []) + (build.map { [$0] } ?? [])
        guard let app = StoreIndex.App(known, builds: builds, path: store.path(of:)) else {
            throw BrokerError(.system, what: "has no folder in the store", place: known.identifier)
        }
        try change(resources, place: known.identifier) { index in
            index.apps.removeAll { BundleIdentifier.folded($0.identifier) == key }
            index.apps.append(app)
        }
        for gone in builds where !app.builds.contains(where: { $0.folder == gone.folder }) { store.leave(gone) }
    }

    private func change(
        _ resources: UserResources, place: String, _ body: (inout StoreIndex) -> Void
    ) throws(BrokerError) {
        do throws(SystemError) {
            try resources.store.change(body)
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: place, remedy: error.remedy)
        }
    }

    /// Removes the replaced apps from which no extension runs.
    func sweep() {
        guard let store = resources.withLock({ $0?.store }), store.hasLeavings else { return }
        changes.run { [self] in
            store.sweep()
            space.record(store.bytes, at: store.path)
        }
    }
}
