internal import AnnexBrokerAPI
internal import AnnexModel
internal import Synchronization

/// Counts each extension's failures in a row, and rejects its launches during a pause.
final class FailureHistory: Sendable {
    private let backoff = Mutex(LaunchBackoff())

    func record(_ end: EndedExtension) {
        backoff.withLock { $0.record(end.identifier, reason: end.termination.reason, at: .now) }
    }

    /// The error with which a launch is rejected because the extension must pause; nil if the extension may be
    /// launched. `isNews` is true if this pause is not logged yet.
    func rejection(of identifier: String) -> (error: BrokerError, isNews: Bool)? {
        let found = backoff.withLock { backoff in
            backoff.pause(identifier, at: .now).map { ($0, backoff.markLogged(identifier)) }
        }
        guard let (pause, isNews) = found else { return nil }
        let error = BrokerError(
            .heldBack,
            what: "failed \(pause.failures) times in a row, the last time with the reason \(pause.reason.rawValue)",
            place: identifier, remedy: "launch it again in \(pause.left)")
        return (error, isNews)
    }

    /// Forgets the failures of extensions that are replaced by new versions.
    func forget(_ identifiers: [String]) {
        backoff.withLock { backoff in
            for identifier in identifiers { backoff.forget(identifier) }
        }
    }
}

/// Delays the launch of extensions that fail again and again. After the first few failures in a row, each further
/// failure doubles the pause before the next launch. This type reads no clock: the caller passes the moments.
struct LaunchBackoff: Sendable {
    private struct Row {
        var failures: Int
        var last: Moment
        var reason: Termination.Reason
        /// Whether the pause after the last failure was logged.
        var isLogged = false
    }

    /// A pause: its cause, and the time left.
    struct Pause: Sendable, Equatable {
        let failures: Int
        let reason: Termination.Reason
        let left: Duration
    }

    /// The number of failures in a row that causes the first pause.
    static let free = 5
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(60)
    /// If no further failure follows within this time, an extension's failures in a row are forgotten.
    static let memory = Duration.seconds(600)

    private var rows: [String: Row] = [:]

    /// Records an end.
    mutating func record(_ identifier: String, reason: Termination.Reason, at now: Moment) {
        rows = rows.filter { now.since($0.value.last) < Self.memory }
        switch Self.weight(of: reason) {
        case .success: rows[identifier] = nil
        case .failure:
            let failures = (rows[identifier]?.failures ?? 0) + 1
            rows[identifier] = Row(failures: failures, last: now, reason: reason)
        case .neither: break
        }
    }

    /// The pause of an extension; nil if the extension may be launched.
    func pause(_ identifier: String, at now: Moment) -> Pause? {
        guard let row = rows[identifier], row.failures >= Self.free else { return nil }
        let doublings = min(row.failures - Self.free, 6)
        let pause = min(Self.shortest * (1 << doublings), Self.longest)
        let left = pause - now.since(row.last)
        return left > .zero ? Pause(failures: row.failures, reason: row.reason, left: left) : nil
    }

    /// Forgets an extension's failures, because a new version replaces it.
    mutating func forget(_ identifier: String) {
        rows[identifier] = nil
    }

    /// Whether the present pause was not logged yet. The call records that the pause is logged now.
    mutating func markLogged(_ identifier: String) -> Bool {
        defer { rows[identifier]?.isLogged = true }
        return !(rows[identifier]?.isLogged ?? true)
    }

    private enum Weight {
        case success, failure, neither
    }

    /// Whether an end counts as a failure. An end that a host, a user or the broker requested does not count. A failed
    /// launch does not count either. An end at the time limit of a request does not count, because the host can choose
    /// that limit.
    private static func weight(of reason: Termination.Reason) -> Weight {
        switch reason {
        case .completed, .graceExpired: .success
        case .cancelled, .timeLimit, .memoryPressure, .hostGone, .disabled, .removed, .brokerShutdown, .launchFailed:
            .neither
        case .exited, .crashed, .memoryLimit, .launchLimit, .processorLimit, .diskLimit, .outputLimit, .messageBudget,
            .unresponsive, .stuck, .deniedOperation, .protocolViolation:
            .failure
        }
    }
}
