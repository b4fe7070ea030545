internal import AnnexBroker
internal import AnnexLinux
internal import AnnexService
internal import Logging
internal import Synchronization

extension DaemonUser {
    /// His broker and his store. The first who asks makes them: not for the event loop's thread.
    func ready() throws(ServiceError) -> Means {
        try means.withLock { (means) throws(ServiceError) in
            if let means { return means }
            let store: AppStore
            do throws(SystemError) {
                store = try AppStore(at: storePath)
            } catch {
                throw ServiceError(.system, "\(error.cause)", place: storePath, mend: error.mend)
            }
            let made = Means(broker: try Broker(wishes), store: store)
            for app in store.index.withLock({ $0.apps }) { load(app, made) }
            means = made
            return made
        }
    }

    private var storePath: String {
        options.isSystem ? "\(options.state)/apps/\(number)" : "\(options.state)/apps"
    }

    /// Each user's reports in a folder of their own, so that nobody's ends push out another's.
    private var wishes: BrokerWishes {
        var wishes = options.wishes
        if options.isSystem, wishes.reports == .standard {
            wishes.reports = .folder("\(options.state)/reports-of/\(number)")
        }
        return wishes
    }

    /// An app that no longer passes stays on disk, and is not offered.
    private func load(_ app: StoreIndex.App, _ means: Means) {
        do throws(ServiceError) {
            _ = try means.broker.install(app: means.store.path(of: app))
            for identifier in app.disabled { try means.broker.setEnabled(false, for: identifier) }
        } catch {
            logger.error(
                "an installed app cannot be loaded",
                metadata: ["app": "\(app.identifier)", "user": "\(number)", "error": "\(error)"])
        }
    }
}
