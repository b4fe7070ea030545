internal import AnnexBrokerAPI
internal import AnnexModel
internal import Synchronization

/// Who failed how often in a row, for whoever wants to start one of them again.
final class FailureHistory: Sendable {
    private let backoff = Mutex(LaunchBackoff())

    func note(_ end: EndedExtension) {
        backoff.withLock { $0.note(end.identifier, end.termination.reason, at: .now) }
    }

    /// Why an extension has to pause, and whether nobody has heard of this pause yet; nil where it may start.
    func refusal(of identifier: String) -> (error: BrokerError, isNews: Bool)? {
        let found = backoff.withLock { backoff in
            backoff.pause(identifier, at: .now).map { ($0, backoff.tell(identifier)) }
        }
        guard let (pause, isNews) = found else { return nil }
        let error = BrokerError(
            .heldBack, "failed \(pause.failures) times in a row, the last time as \(pause.reason.rawValue)",
            place: identifier, remedy: "it may be started again in \(pause.left)")
        return (error, isNews)
    }

    /// Other versions take the place of these.
    func forget(_ identifiers: [String]) {
        backoff.withLock { backoff in
            for identifier in identifiers { backoff.forget(identifier) }
        }
    }
}
