import AnnexBrokerAPI
import AnnexHost
import AnnexModel
import Synchronization

/// Records the codes with which a host's launches were rejected, in order.
final class Refusals: HostObserver {
    private struct Nothing: SessionObserver {
        func ready(_ report: LaunchReport) {}
        func ended(_ termination: Termination) {}
        func requesting() -> @Sendable (HostError?) -> Void { { _ in } }
    }

    private let codes = Mutex<[BrokerError.Code]>([])

    var list: [BrokerError.Code] { codes.withLock { $0 } }

    func launching(_ identifier: String) -> any SessionObserver { Nothing() }
    func rejected(_ identifier: String, error: BrokerError) { codes.withLock { $0.append(error.code) } }
}
