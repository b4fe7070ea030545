import AnnexChannel
import AnnexLinux
import AnnexModel
import AnnexService
import Synchronization

/// A broker of one extension that no process stands behind: the test holds the extension's ends of the channel.
final class LoneService: BrokerService {
    private let ends = Mutex<ExtensionDescriptors?>(nil)

    func install(app path: String) throws(ServiceError) -> [InstalledExtension] { [] }
    func remove(app identifier: String) {}
    func setEnabled(_ isEnabled: Bool, for identifier: String) {}
    var extensions: [InstalledExtension] { [] }

    func terms(for identifier: String) -> SessionTerms { SessionTerms() }

    func launch(
        _ identifier: String, timeLimit: Duration?, channel: consuming ExtensionDescriptors,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(ServiceError) -> any ExtensionHandle {
        var given: ExtensionDescriptors? = consume channel
        ends.withLock { $0 = given.take() }
        events(.ready(.unknown))
        return LoneHandle(events)
    }

    /// The extension closes its ends and lives on.
    func closeChannel() {
        ends.withLock { $0 = nil }
    }
}
