internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

/// A broker whose extensions are threads of this process. It has no apps, and every identifier begins the same
/// extension.
final class InProcessBroker: BrokerService {
    typealias MakeService = @Sendable (borrowing ExtensionEndpoint) -> ChannelService

    private let makeService: MakeService

    /// - Parameter makeService: makes the service of one session, on the session's own thread.
    init(makeService: @escaping MakeService) {
        self.makeService = makeService
    }

    func terms(for identifier: String) -> SessionTerms { SessionTerms() }

    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        let handle = InProcessHandle(host, events: events)
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
    func open(_ url: String) throws(BrokerError) -> String { throw Self.hasNoApps(url) }
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
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        throw Self.hasNoApps(identifier)
    }
    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam { throw Self.hasNoApps(app ?? key) }

    private static func hasNoApps(_ place: String) -> BrokerError {
        BrokerError(
            .unknownExtension, what: "is not known to a host of an extension in the test's own process", place: place)
    }
}
