internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLinux
internal import AnnexRegistry
internal import AnnexSigning
internal import Glibc
internal import Logging
internal import Synchronization

extension DaemonUser {
    /// The user's broker and store. The first request makes them. Making them takes time, so this function must not run
    /// on the event loop's thread.
    func ready() throws(BrokerError) -> UserResources {
        if let resources = resources.withLock({ $0 }) { return resources }
        return try making.withLock { (_) throws(BrokerError) in
            if let resources = resources.withLock({ $0 }) { return resources }
            let made = try make()
            resources.withLock { $0 = made }
            return made
        }
    }

    /// The user's broker. Before the broker is returned, its folders become reachable for the user's apps.
    func readyForApps() throws(BrokerError) -> Broker {
        let broker = try ready().broker
        guard options.isSystem, number != geteuid() else { return broker }
        do throws(SystemError) {
            // Other users can learn only that this user has private directories. Inside these directories, the broker
            // gives access only to this user.
            try Descriptor.makeDirectories(options.privateDirectories(of: number), mode: 0o700)
            for path in options.waysToPrivateDirectories { try Descriptor.directory(path).setMode(0o711) }
            return broker
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: options.state, remedy: error.remedy)
        }
    }

    private func make() throws(BrokerError) -> UserResources {
        let path = options.store(of: number)
        let (lock, store): (UserLock, AppStore)
        do throws(SystemError) {
            lock = try UserLock(number, in: options.state, patience: .seconds(30))
            store = try AppStore(at: path, of: number, logger: logger)
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: path, remedy: error.remedy)
        }
        space.record(store.bytes, at: path)
        let trust = try trust(in: store)
        var wishes = wishes
        wishes.trust = trust
        wishes.isOfDaemon = true
        let broker = try Broker(wishes, onChange: { [weak self] number in self?.announce(number) })
        let made = UserResources(broker: broker, store: store, trust: trust, lock: lock)
        if !made.broker.holdsShare { warnOfShare() }
        let apps = store.index.withLock { $0.apps }
        let loaded = apps.map { load($0, in: made) }
        if loaded != apps { record(loaded, in: store) }
        // If the write fails, the list keeps the pins of apps that are not installed. The next start tries the write
        // again.
        try? trust.change { (trust) throws(SigningError) in
            trust.forgetFirstUses(butOf: Set(apps.map(\.identifier)))
        }
        let installed = Set(apps.map(\.identifier))
        made.broker.finishAnnouncedRemovals(installed: installed)
        made.broker.beginTransfers(installed: installed)
        return made
    }

    /// The user's list of trusted teams. If the list cannot be read, the user's requests fail. Without the list, any
    /// team could take over an app.
    private func trust(in store: AppStore) throws(BrokerError) -> TrustStore {
        do {
            return try TrustStore(in: store.folder.duplicate(), place: store.path)
        } catch let error as SigningError {
            throw BrokerError(.system, what: error.what, place: error.place, remedy: error.remedy)
        } catch {
            throw BrokerError(.system, what: "\(error)", place: store.path)
        }
    }

    /// The settings of the user's broker. They contain a separate folder for the user's reports, and the user ID for
    /// each line of the log.
    private var wishes: BrokerConfiguration {
        var wishes = options.wishes
        wishes.share = share
        wishes.user = "\(number)"
        wishes.owner = number
        if options.isSystem { wishes.daemon = options.socket } else { wishes.ownDaemon = options.socket }
        wishes.transfers = wishes.transfers ?? transfers
        wishes.privateDirectories = .folder(options.privateDirectories(of: number))
        if options.isSystem, wishes.reports == .standard { wishes.reports = .folder(options.reports(of: number)) }
        return wishes
    }

    private var transfers: TransferKeeping {
        var keeping = TransferKeeping(
            in: options.transfers(of: number) + "/book", program: options.transferProgram)
        keeping.authorities = options.transferAuthorities
        return keeping
    }

    private var share: BrokerShare {
        let limits = options.limits
        return BrokerShare(
            name: "user-\(number)", memory: UInt64(clamping: limits.memoryBytes), processes: limits.processes,
            processorWeight: limits.processorWeight, diskWeight: limits.diskWeight)
    }

    private func warnOfShare() {
        logger.warning(
            "no control group limits one user's extensions together; each extension has limits of its own",
            metadata: [
                "user": "\(number)",
                "remedy": "run annexd as a systemd service with Delegate=yes, as in the units that come with annexd",
            ])
    }

    /// Loads an installed app. If an installed app now breaks a rule, the app stays on disk, but is not offered.
    /// - Returns: the app's record. If the record was old, it is renewed.
    private func load(_ app: StoreIndex.App, in resources: UserResources) -> StoreIndex.App {
        let store = resources.store
        do {
            let opened = try AppBundle.open(store.path(of: app.elected))
            let known = app.known(carrying: opened.extensions.map(\.identifier), path: store.path(of:))
            let restored = try resources.broker.restore(opened, as: known)
            store.use(app.elected, by: opened.extensions)
            return StoreIndex.App(restored, builds: app.builds, path: store.path(of:)) ?? app
        } catch {
            // The client chose the name of the app's directory, so the error is escaped.
            logger.error(
                "an installed app cannot be loaded",
                metadata: ["app": "\(app.identifier)", "user": "\(number)", "error": "\(Escaped("\(error)"))"])
            return app
        }
    }

    /// Records renewed apps. If the disk cannot store them, the next start renews them again.
    private func record(_ apps: [StoreIndex.App], in store: AppStore) {
        do throws(SystemError) {
            try store.change { $0.apps = apps }
        } catch {
            logger.error(
                "the record of the installed apps cannot be renewed",
                metadata: ["user": "\(number)", "error": "\(Escaped("\(error)"))"])
        }
    }
}
