internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLinux
internal import AnnexSigning
internal import Glibc
internal import Synchronization

// All of this runs on the lane of changes, one change after another.

extension DaemonUser {
    /// Copies an app into the store, checks the copy, and installs it in place of the app with the same identifier.
    func install(_ handed: HandedOver, named name: String) throws(BrokerError) -> [InstalledExtension] {
        let resources = try ready()
        guard handed.count == 1, let archive = handed.popFirst() else {
            throw BrokerError(
                .invalidBundle, what: "came with \(handed.count) descriptors instead of its archive", place: name,
                remedy: "install the app with the library or with annex install")
        }
        let index = resources.store.index.withLock { $0 }
        let made = try resources.store.unpack(
            archive, as: name, room: resources.store.room(within: options.limits.installedBytes), in: space)
        // The sizes are recorded while the new app's bytes are still reserved, so that they are never missing from the
        // sum.
        defer { withExtendedLifetime(made) { space.record(resources.store.bytes, at: resources.store.path) } }
        do throws(BrokerError) {
            let app = try opened("\(resources.store.path)/\(made.folder)/\(name)", named: name)
            try check(app, index: index, broker: resources.broker)
            SealedApp.protect(app)
            return try register(app, unpacked: made, in: resources, index: index)
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

    private func check(_ app: AppBundle, index: StoreIndex, broker: Broker) throws(BrokerError) {
        let others = index.apps.count { $0.identifier != app.identifier }
        let extensions = broker.count(ofExtensionsBeside: app.identifier) + app.extensions.count
        guard others < options.limits.apps, extensions <= options.limits.extensions else {
            throw BrokerError(
                .overQuota,
                what:
                    "exceeds the user's limit of \(options.limits.apps) apps and \(options.limits.extensions) extensions",
                place: app.identifier, remedy: "remove apps that you do not need")
        }
    }

    /// The broker's registry changes first, because it may reject the app. If writing the index fails then, the
    /// registry gets the old app back.
    private func register(
        _ app: AppBundle, unpacked made: AppStore.Unpacked, in resources: UserResources, index: StoreIndex
    ) throws(BrokerError) -> [InstalledExtension] {
        let old = index.app(app.identifier)
        let running = resources.broker.bundles(of: app.identifier)
        let trusted = resources.trust.trust
        let (extensions, gone) = try resources.broker.replace(
            app: "\(resources.store.path)/\(made.folder)/\(made.name)")
        do {
            try resources.broker.announceRemoval(of: gone)
            try resources.store.change { index in
                index.apps.removeAll { $0.identifier == app.identifier }
                index.apps.append(
                    StoreIndex.App(
                        identifier: app.identifier, folder: made.folder, name: made.name, bytes: made.bytes,
                        choices: old?.choices.filter { choice in extensions.contains { $0.id == choice.key } } ?? [:]))
            }
        } catch {
            resources.broker.withdrawRemoval(of: gone)
            if let old {
                _ = try? resources.broker.load(app: resources.store.path(of: old))
                apply(old.choices, to: resources.broker)
            } else {
                try? resources.broker.forget(app: app.identifier)
            }
            try? resources.trust.change { (trust) throws(SigningError) in trust = trusted }
            throw Self.error(error, place: made.name)
        }
        resources.broker.removePrivateDirectories(of: gone)
        if let old { discard(old, heldBy: running, in: resources) }
        return extensions
    }

    func remove(app identifier: String) throws(BrokerError) {
        let resources = try ready()
        guard let app = resources.store.index.withLock({ $0.app(identifier) }) else {
            // The broker's error names the installed apps.
            return try resources.broker.remove(app: identifier)
        }
        let running = resources.broker.bundles(of: identifier)
        let gone = [PrivateSubject.app(identifier)]
        try resources.broker.announceRemoval(of: gone)
        do throws(BrokerError) {
            try change(resources, place: identifier) { index in index.apps.removeAll { $0.identifier == identifier } }
        } catch {
            resources.broker.withdrawRemoval(of: gone)
            throw error
        }
        // The broker does not know an app that could not be loaded, so its error is ignored.
        try? resources.broker.forget(app: identifier)
        resources.broker.removePrivateDirectories(of: gone)
        try resources.broker.forgetTeam(of: identifier)
        discard(app, heldBy: running, in: resources)
        space.record(resources.store.bytes, at: resources.store.path)
    }

    /// The index changes before the broker's registry. Only the disk can fail here, and if it fails, nothing has
    /// changed.
    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) {
        let resources = try ready()
        let app = try resources.broker.app(carrying: identifier)
        try change(resources, place: identifier) { index in
            for place in index.apps.indices where index.apps[place].identifier == app {
                index.apps[place].choices[identifier] = isEnabled
            }
        }
        try resources.broker.setEnabled(isEnabled, for: identifier)
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

    private static func error(_ error: any Error, place: String) -> BrokerError {
        if let rejection = error as? BrokerError { return rejection }
        guard let fault = error as? SystemError else { return BrokerError(.system, what: "\(error)", place: place) }
        return BrokerError(.system, what: "\(fault.cause)", place: place, remedy: fault.remedy)
    }

    /// Removes a replaced app when no running extension holds its bundle any more.
    private func discard(_ app: StoreIndex.App, heldBy running: [ExtensionBundle], in resources: UserResources) {
        resources.store.leavings.withLock { $0.append(Leaving(app, heldBy: running)) }
        sweep()
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
