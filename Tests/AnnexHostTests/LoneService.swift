import AnnexBrokerAPI
import AnnexChannel
import AnnexLinux
import AnnexModel
import Synchronization

/// A broker of one extension without a process. The test holds the extension's ends of the channel.
final class LoneService: BrokerService {
    let ends = Mutex<ExtensionDescriptors?>(nil)
    private let count = Mutex(0)
    /// Whether the extension ends at the moment at which it is parked.
    private let endsParked: Bool
    private let saysHello: Bool
    private let handles = Mutex<[LoneHandle]>([])

    init(endsParked: Bool = false, saysHello: Bool = true) {
        self.endsParked = endsParked
        self.saysHello = saysHello
    }

    /// The number of times that the host has released an extension.
    var dismissals: Int { handles.withLock { $0.reduce(0) { $0 + $1.dismissals } } }

    /// The host's reports about requests.
    var reports: [LoneHandle.Report] { handles.withLock { $0.flatMap { $0.reports.withLock { $0 } } } }

    /// The number of launches of the extension.
    var launches: Int { count.withLock { $0 } }

    func install(app path: String, granting: [String]) throws(BrokerError) -> [InstalledExtension] { [] }
    func setGranted(
        _ isGranted: Bool, entitlements: [String], hosts: [String], for identifier: String
    ) throws(BrokerError) -> InstalledExtension {
        throw BrokerError(.unknownExtension, what: "is not installed", place: identifier)
    }
    func remove(app identifier: String) {}
    func setEnabled(_ isEnabled: Bool, for identifier: String) {}
    func pin(app identifier: String, to version: String?) -> [InstalledExtension] { [] }
    var changes: InstalledChanges { ChangeFeed().follow() }
    func trust(key: String, for app: String?) throws(BrokerError) -> SigningTeam {
        throw BrokerError(.untrustedTeam, what: "is trusted by no one", place: "key")
    }
    func extensions(in languages: [String]) -> [InstalledExtension] { [] }
    func installed(in languages: [String]) -> [InstalledExtension] { [] }
    func icon(of identifier: String) -> ExtensionIcon? { nil }
    func attributes(of identifier: String) -> [String: ItemValue] { [:] }
    func typeDeclarations(of identifier: String) -> [String: ItemValue] { [:] }
    func open(_ url: String) -> String { url }

    func terms(for identifier: String) -> SessionTerms { SessionTerms(keepAlive: .seconds(3600)) }

    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        var given: ExtensionDescriptors? = consume channel
        ends.withLock { $0 = given.take() }
        count.withLock { $0 += 1 }
        if saysHello { events(.ready(.unknown)) }
        let handle = LoneHandle(events, endsParked: endsParked)
        handles.withLock { $0.append(handle) }
        return handle
    }

    /// The extension closes its ends of the channel, but continues to run.
    func closeChannel() {
        ends.withLock { $0 = nil }
    }
}
