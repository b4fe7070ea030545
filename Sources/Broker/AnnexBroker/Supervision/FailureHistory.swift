internal import AnnexBrokerAPI
internal import AnnexModel
internal import Synchronization

/// Counts each extension's failures in a row, and rejects its launches during a pause.
final class FailureHistory: Sendable {
    private let backoff = Mutex(LaunchBackoff())

    func note(_ end: EndedExtension) {
        backoff.withLock { $0.note(end.identifier, end.termination.reason, at: .now) }
    }

    /// Why an extension must pause, and whether this pause was not logged yet; nil if the extension may be launched.
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

    /// Forgets the failures of extensions that new versions replace.
    func forget(_ identifiers: [String]) {
        backoff.withLock { backoff in
            for identifier in identifiers { backoff.forget(identifier) }
        }
    }
}
