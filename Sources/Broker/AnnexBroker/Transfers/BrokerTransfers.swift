internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPortal
internal import AnnexPortalServer
internal import AnnexRegistry
internal import AnnexSigning
internal import AnnexTransferWire
internal import Synchronization

/// The background transfers of a broker's user: the desk of members, and the keeper of the agent.
final class BrokerTransfers: Sendable {
    let desk: TransferDesk
    private let keeper: TransferKeeper
    private let registry: InstalledRegistry
    private let reach: TransferReach
    private let signatures: InstalledSignatures
    private let starter: AppStarter
    private let log: BrokerLog
    /// Runs what waits for the disk or for the start of an app.
    private let row = Lane.Row(of: .slow)
    private let loop: EventLoop
    /// The apps of the user that could not be loaded at the start; nil before the start. They are installed all the same.
    private let unloaded = Mutex<Set<String>?>(nil)

    /// The parts of a broker that transfers need.
    struct Parts {
        let launcher: Launcher
        let groups: GroupAccess
        let registry: InstalledRegistry
        let signatures: InstalledSignatures
        let starter: AppStarter
        let log: BrokerLog
    }

    /// Opens the book of the user's transfers.
    init(_ keeping: TransferKeeping, of parts: Parts) throws(PortalError) {
        let groups = parts.groups
        desk = TransferDesk(
            try Self.book(in: keeping.folder, log: parts.log),
            counter: { DirectoryUse(of: $0, size: .max, inodes: .max).bytes }
        ) { key throws(PortalError) in try groups.open(key) }
        let named = NamedAddresses()
        let agent =
            keeping.starter
            ?? SandboxedTransferAgent(
                launcher: parts.launcher, program: keeping.program, authorities: keeping.authorities,
                named: named)
        let reach = TransferReach(registry: parts.registry)
        self.reach = reach
        loop = parts.launcher.loop
        keeper = TransferKeeper(
            desk, on: parts.launcher.loop, names: TransferNames(hosts: { reach.hosts(of: $0) }, named: named),
            starter: agent,
            network: TransferNetwork(on: parts.launcher.loop), log: parts.log)
        (registry, signatures, starter, log) = (parts.registry, parts.signatures, parts.starter, parts.log)
        desk.connect(to: keeper, refusing: { reach.refusal(of: $0, to: $1) }) { [weak self] session in
            self?.wake(session)
        }
    }

    private static func book(in folder: String, log: BrokerLog) throws(PortalError) -> TransferBook {
        let path: String
        do throws(SystemError) {
            try Descriptor.makeDirectories(folder, mode: 0o700)
            // SQLite follows no link on the path of a store.
            path = try Descriptor.directory(folder).path()
        } catch {
            throw PortalError(.system, what: "the book of transfers: \(error.cause)", remedy: error.remedy)
        }
        do throws(StoreError) {
            return try TransferBook(in: path) { log.failedTransfers("\($0)") }
        } catch {
            throw PortalError(error)
        }
    }

    /// Finishes what an earlier broker began, and lets the agent go on. The apps of the user are known by now.
    /// - Parameter installed: all apps of the user, with those that could not be loaded.
    func begin(installed: Set<String>) {
        let known = registry.value
        unloaded.withLock { $0 = installed.filter { known.known($0) == nil } }
        row.run { [weak self] in
            guard let self else { return }
            do throws(StoreError) {
                for failure in try desk.recoverOnce() { log.failedTransfers("\(failure)") }
            } catch {
                log.failedTransfers("the book of transfers cannot be read: \(error)")
            }
            review()
            keeper.look()
        }
    }

    func end() { keeper.end() }

    /// Whether the broker must stay for a task that has no outcome.
    var hasWork: Bool { keeper.hasWork }

    // MARK: Apps

    private func wake(_ session: BookedSession) {
        row.run { [weak self] in
            guard let self else { return }
            guard let app = registry.value.bundlesInUse.first(where: { $0.identifier == session.app }) else {
                return log.failedTransfers("\(session.app) is not installed any more, and was not started")
            }
            do throws(BrokerError) {
                try starter.startInstalled(app, for: .backgroundSession(session.identifier))
                log.woke(app.identifier, for: session.identifier)
            } catch {
                log.failedTransfers("\(error.place) \(error.what)")
            }
        }
    }

    // MARK: Grants

    /// Ends the tasks that the user does not allow any more, after a change of apps or grants.
    func reviewLater() {
        guard unloaded.withLock({ $0 }) != nil else { return }
        row.run { [weak self] in self?.review() }
    }

    /// Runs in the row.
    private func review() {
        do throws(StoreError) {
            try desk.review(isRemoved: { [self] in isRemoved($0) }) { [self] in isAllowed($1, in: $0) }
        } catch {
            log.failedTransfers("a transfer that is not allowed any more cannot be ended: \(error)")
            loop.schedule(after: TransferKeeper.retry) { [weak self] in self?.reviewLater() }
        }
    }

    private func isRemoved(_ app: String) -> Bool {
        registry.value.known(app) == nil && unloaded.withLock { $0?.contains(app) != true }
    }

    /// The app must be installed, signed by the group's team, and a member of the group. An extension must be a member
    /// too, and may use the network and the machines of the task.
    private func isAllowed(_ task: BookedTask, in session: BookedSession) -> Bool {
        let installed = registry.value
        guard let app = installed.bundlesInUse.first(where: { $0.identifier == session.app }),
            app.entitlements.applicationGroups.contains(session.group.identifier),
            signatures.team(ofApp: app.identifier)?.publicKey.hex == session.group.team
        else { return false }
        if task.member == session.app { return true }
        guard let record = installed.record(task.member), let bundle = record.bundle else { return false }
        let inForce = installed.entitlementsInForce(for: record)
        return signatures.groups(of: bundle).contains(session.group.identifier)
            && [Entitlement.applicationGroups, .networkClient].allSatisfy { inForce.contains($0.rawValue) }
            && reachesNamedHosts(task)
    }

    /// Whether the grant of the task's member names the machine of the URL, and those that redirects led to.
    private func reachesNamedHosts(_ task: BookedTask) -> Bool {
        guard let rules = reach.hosts(of: task.member) else { return true }
        return reach.allows(task.job.url, to: task.member)
            && keeper.places(of: task).allSatisfy { $0.isNamed(by: rules) }
    }
}

extension Broker {
    /// Opens the user's transfers, or says why there are none.
    static func transfers(
        _ keeping: TransferKeeping?, of parts: BrokerTransfers.Parts
    ) -> Result<BrokerTransfers, PortalError> {
        guard let keeping else { return .failure(.transfersNeedDaemon) }
        do throws(PortalError) {
            return .success(try BrokerTransfers(keeping, of: parts))
        } catch {
            parts.log.failedTransfers("\(error)")
            return .failure(error)
        }
    }

    /// Lets the user's background transfers go on, after all apps of the user were installed.
    /// - Parameter installed: the identifiers of all these apps, with those that could not be loaded.
    package func beginTransfers(installed: Set<String>) { transfers?.begin(installed: installed) }

    /// Whether a background transfer has no outcome yet.
    package var hasTransfers: Bool { transfers?.hasWork ?? false }
}
