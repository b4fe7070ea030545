internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

/// A broker whose extensions are threads of this process. It has no apps, and every identifier begins the same extension.
final class InProcessBroker: BrokerService {
    typealias MakeService = @Sendable (borrowing ExtensionEndpoint) -> ChannelService

    private let makeService: MakeService

    /// - Parameter makeService: makes the service of one session, on the session's own thread.
    init(makeService: @escaping MakeService) {
        self.makeService = makeService
    }

    func terms(for identifier: String) -> SessionTerms { SessionTerms() }

    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        let handle = InProcessHandle(events)
        do throws(SystemError) {
            try handle.start(channel: channel, makeService: makeService)
        } catch {
            throw BrokerError(.system, what: "cannot be started in this process: \(error)", place: identifier)
        }
        return handle
    }

    // This broker has no apps.
    func extensions(in languages: [String]) -> [InstalledExtension] { [] }
    func installed(in languages: [String]) -> [InstalledExtension] { [] }
    func icon(of identifier: String) -> ExtensionIcon? { nil }
    func attributes(of identifier: String) -> [String: ItemValue] { [:] }
    func typeDeclarations(of identifier: String) -> [String: ItemValue] { [:] }
    var changes: InstalledChanges { ChangeFeed().follow() }

    func install(app path: String, granting: [String]) throws(BrokerError) -> [InstalledExtension] {
        throw Self.hasNoApps(path)
    }
    func remove(app identifier: String) throws(BrokerError) { throw Self.hasNoApps(identifier) }
    func pin(app identifier: String, to version: String?) throws(BrokerError) -> [InstalledExtension] {
        throw Self.hasNoApps(identifier)
    }
    func setEnabled(_ isEnabled: Bool, for identifier: String) throws(BrokerError) { throw Self.hasNoApps(identifier) }
    func setGranted(
        _ isGranted: Bool, entitlements: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        throw Self.hasNoApps(identifier)
    }
    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam { throw Self.hasNoApps(app ?? key) }

    private static func hasNoApps(_ place: String) -> BrokerError {
        BrokerError(
            .unknownExtension, what: "is not known to a host of an extension in the test's own process", place: place)
    }
}

/// An extension that is a thread. Its end is the end of the thread: a thread cannot be killed.
private final class InProcessHandle: ExtensionHandle {
    private struct State {
        /// Why the extension ends; nil if it ends by itself.
        var cause: Termination.Reason?
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let events: @Sendable (ExtensionEvent) -> Void

    init(_ events: @escaping @Sendable (ExtensionEvent) -> Void) {
        self.events = events
    }

    func start(
        channel: consuming ExtensionDescriptors, makeService: @escaping InProcessBroker.MakeService
    ) throws(SystemError) {
        let box = DescriptorBox(channel)
        _ = try WorkerThread("annex-extension") { [self] in
            // The end of the session and a host that is gone end the service alike.
            if let channel = box.take() { try? Self.serve(channel, with: makeService) }
            end(for: .cancelled)
        }
    }

    private static func serve(
        _ channel: consuming ExtensionDescriptors, with makeService: InProcessBroker.MakeService
    ) throws(ExtensionFailure) {
        let endpoint = try ExtensionEndpoint(channel)
        let service = makeService(endpoint)
        try endpoint.sayHello()
        try service.serve(endpoint)
    }

    /// Reports the end once.
    /// - Parameter reason: the reason, if no other was recorded before.
    private func end(for reason: Termination.Reason) {
        let reason: Termination.Reason? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state.cause ?? reason
        }
        if let reason { events(.ended(Termination(reason))) }
    }

    func saidHello() { events(.ready(.unknown)) }

    func dismiss(for dismissal: Dismissal) {
        let isFirst = state.withLock { state in
            guard state.cause == nil, !state.hasEnded else { return false }
            state.cause = dismissal == .completed ? .completed : .cancelled
            return true
        }
        if isFirst { events(.goodbye) }
    }

    func violated(_ violation: ProtocolViolation) {
        end(for: violation.isBudget ? .messageBudget : .protocolViolation)
    }

    func overstayed() { end(for: .timeLimit) }

    // The thread reports its own end. No limit and no watchdog needs the other reports.
    func channelClosed() {}
    func requestBegan(_ request: UInt64) {}
    func requestEnded(_ request: UInt64) {}
    func gaveSign() {}
    func activityBegan(_ reason: String) {}
    func activityEnded() {}
    func park() {}
    func claim() -> Bool { true }
}

/// Takes descriptors to another thread, once.
private final class DescriptorBox: Sendable {
    private let descriptors: Mutex<ExtensionDescriptors?>

    init(_ descriptors: consuming ExtensionDescriptors) {
        self.descriptors = Mutex(descriptors)
    }

    func take() -> ExtensionDescriptors? { descriptors.withLock { $0.take() } }
}
