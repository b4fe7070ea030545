internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLinux
internal import Glibc
internal import Synchronization

// All of this runs on the lane of changes, one change after another.

extension DaemonUser {
    /// Copies an app into the store, checks the copy, and installs it in place of the app with the same identifier.
    func install(_ handed: HandedOver, named name: String) throws(BrokerError) -> [InstalledExtension] {
        let means = try ready()
        guard handed.count == 1, let archive = handed.takeFirst() else {
            throw BrokerError(
                .invalidBundle, "came with \(handed.count) descriptors instead of its archive", place: name,
                remedy: "install by the library or the command")
        }
        let index = means.store.index.withLock { $0 }
        let made = try means.store.unpack(
            archive, as: name, room: means.store.room(within: options.limits.installedBytes), in: space)
        // The sizes are recorded while the new app's bytes are still reserved, so that they are never missing from the
        // sum.
        defer { withExtendedLifetime(made) { space.note(means.store.bytes, at: means.store.path) } }
        do throws(BrokerError) {
            let app = try opened("\(means.store.path)/\(made.folder)/\(name)", name)
            try check(app, index, means.broker)
            return try register(app, made, in: means, index)
        } catch {
            means.store.discard(made.folder)
            throw error.place.hasPrefix(means.store.path)
                ? BrokerError(error.code, error.what, place: name, remedy: error.remedy) : error
        }
    }

    private func opened(_ path: String, _ name: String) throws(BrokerError) -> AppBundle {
        do throws(BundleError) {
            return try AppBundle.open(path)
        } catch {
            throw BrokerError(.invalidBundle, "\(error)", place: name)
        }
    }

    private func check(_ app: AppBundle, _ index: StoreIndex, _ broker: Broker) throws(BrokerError) {
        let others = index.apps.count { $0.identifier != app.identifier }
        let extensions = broker.count(ofExtensionsBeside: app.identifier) + app.extensions.count
        guard others < options.limits.apps, extensions <= options.limits.extensions else {
            throw BrokerError(
                .overQuota,
                "is more than the \(options.limits.apps) apps and \(options.limits.extensions) extensions of one user",
                place: app.identifier, remedy: "remove apps that are not needed")
        }
    }

    /// The broker's registry changes first, because it may reject the app. If writing the index fails then, the
    /// registry gets the old app back.
    private func register(
        _ app: AppBundle, _ made: AppStore.Unpacked, in means: UserResources, _ index: StoreIndex
    ) throws(BrokerError) -> [InstalledExtension] {
        let old = index.app(app.identifier)
        let running = means.broker.bundles(of: app.identifier)
        let extensions = try means.broker.install(app: "\(means.store.path)/\(made.folder)/\(made.name)")
        do throws(SystemError) {
            try means.store.change { index in
                index.apps.removeAll { $0.identifier == app.identifier }
                index.apps.append(
                    StoreIndex.App(
                        identifier: app.identifier, folder: made.folder, name: made.name, bytes: made.bytes,
                        disabled: old?.disabled.filter { id in extensions.contains { $0.id == id } } ?? []))
            }
        } catch {
            if let old {
                _ = try? means.broker.install(app: means.store.path(of: old))
                switchOff(old.disabled, means.broker)
            } else {
                try? means.broker.remove(app: app.identifier)
            }
            throw BrokerError(.system, "\(error.cause)", place: made.name, remedy: error.remedy)
        }
        if let old { discard(old, running, in: means) }
        return extensions
    }

    func remove(app identifier: String) throws(BrokerError) {
        let means = try ready()
        guard let app = means.store.index.withLock({ $0.app(identifier) }) else {
            // The broker's error names the installed apps.
            return try means.broker.remove(app: identifier)
        }
        let running = means.broker.bundles(of: identifier)
        try change(means, place: identifier) { index in index.apps.removeAll { $0.identifier == identifier } }
        // The broker does not know an app that could not be loaded, so its error is ignored.
        try? means.broker.remove(app: identifier)
        discard(app, running, in: means)
        space.note(means.store.bytes, at: means.store.path)
    }

    /// The index changes first: only the disk can fail here, and then nothing has changed.
    func setEnabled(_ isEnabled: Bool, _ identifier: String) throws(BrokerError) {
        let means = try ready()
        let app = try means.broker.app(carrying: identifier)
        try change(means, place: identifier) { index in
            for place in index.apps.indices where index.apps[place].identifier == app {
                index.apps[place].disabled.removeAll { $0 == identifier }
                if !isEnabled { index.apps[place].disabled.append(identifier) }
            }
        }
        try means.broker.setEnabled(isEnabled, for: identifier)
    }

    private func change(
        _ means: UserResources, place: String, _ body: (inout StoreIndex) -> Void
    ) throws(BrokerError) {
        do throws(SystemError) {
            try means.store.change(body)
        } catch {
            throw BrokerError(.system, "\(error.cause)", place: place, remedy: error.remedy)
        }
    }

    /// Removes a replaced app when no running extension holds its bundle any more.
    private func discard(_ app: StoreIndex.App, _ running: [ExtensionBundle], in means: UserResources) {
        means.store.leavings.withLock { $0.append(Leaving(app, heldBy: running)) }
        sweep()
    }

    /// Removes the replaced apps from which no extension runs.
    func sweep() {
        guard let store = means.withLock({ $0?.store }), store.hasLeavings else { return }
        changes.run { [self] in
            store.sweep()
            space.note(store.bytes, at: store.path)
        }
    }
}
