internal import AnnexModel
internal import AnnexService
internal import Synchronization

/// Who failed how often in a row, for whoever wants to start one of them again.
final class FailureBook: Sendable {
    private let backoff = Mutex(LaunchBackoff())

    func note(_ end: EndedExtension) {
        backoff.withLock { $0.note(end.identifier, end.termination.reason, at: .now) }
    }

    /// Throws where an extension has to pause.
    func check(_ identifier: String) throws(ServiceError) {
        guard let pause = backoff.withLock({ $0.pause(identifier, at: .now) }) else { return }
        throw ServiceError(
            .heldBack, "failed \(pause.failures) times in a row, the last time as \(pause.reason.rawValue)",
            place: identifier, mend: "it may be started again in \(pause.left)")
    }
}
