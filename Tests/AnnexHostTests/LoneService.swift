import AnnexChannel
import AnnexLinux
import AnnexModel
import AnnexService
import Synchronization

/// A broker of one extension that no process stands behind: the test holds the extension's ends of the channel.
final class LoneService: BrokerService {
    let ends = Mutex<ExtensionDescriptors?>(nil)
    private let count = Mutex(0)
    /// Whether its extension ends in the moment in which it is parked.
    private let endsParked: Bool

    init(endsParked: Bool = false) {
        self.endsParked = endsParked
    }

    /// How often it was launched.
    var launches: Int { count.withLock { $0 } }

    func install(app path: String) throws(ServiceError) -> [InstalledExtension] { [] }
    func remove(app identifier: String) {}
    func setEnabled(_ isEnabled: Bool, for identifier: String) {}
    var extensions: [InstalledExtension] { [] }
    var installed: [InstalledExtension] { [] }

    func terms(for identifier: String) -> SessionTerms { SessionTerms(keepAlive: .seconds(3600)) }

    func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(ServiceError) -> any ExtensionHandle {
        var given: ExtensionDescriptors? = consume channel
        ends.withLock { $0 = given.take() }
        count.withLock { $0 += 1 }
        events(.ready(.unknown))
        return LoneHandle(events, endsParked: endsParked)
    }

    /// The extension closes its ends and lives on.
    func closeChannel() {
        ends.withLock { $0 = nil }
    }
}
