internal import AnnexModel

/// Holds back extensions that fail again and again: each failure in a row after the first few doubles the pause before
/// the next start. Pure: moments come with what happens.
struct LaunchBackoff: Sendable {
    private struct Row {
        var failures: Int
        var last: Moment
        var reason: Termination.Reason
        /// Whether the pause after the last failure was told.
        var isTold = false
    }

    /// What an extension is refused for, and for how long yet.
    struct Pause: Sendable, Equatable {
        let failures: Int
        let reason: Termination.Reason
        let left: Duration
    }

    /// So many failures in a row cost nothing.
    static let free = 5
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(60)
    /// What lies so far back is forgotten.
    static let memory = Duration.seconds(600)

    private var rows: [String: Row] = [:]

    /// Takes note of an end.
    mutating func note(_ identifier: String, _ reason: Termination.Reason, at now: Moment) {
        rows = rows.filter { now.since($0.value.last) < Self.memory }
        switch Self.weight(of: reason) {
        case .success: rows[identifier] = nil
        case .failure:
            let failures = (rows[identifier]?.failures ?? 0) + 1
            rows[identifier] = Row(failures: failures, last: now, reason: reason)
        case .neither: break
        }
    }

    /// Why it may not start yet; nil where it may.
    func pause(_ identifier: String, at now: Moment) -> Pause? {
        guard let row = rows[identifier], row.failures >= Self.free else { return nil }
        let doublings = min(row.failures - Self.free, 6)
        let pause = min(Self.shortest * (1 << doublings), Self.longest)
        let left = pause - now.since(row.last)
        return left > .zero ? Pause(failures: row.failures, reason: row.reason, left: left) : nil
    }

    /// Another version takes its place: what failed before says nothing of that.
    mutating func forget(_ identifier: String) {
        rows[identifier] = nil
    }

    /// Whether nobody has told of the present pause yet; from now on somebody has.
    mutating func tell(_ identifier: String) -> Bool {
        defer { rows[identifier]?.isTold = true }
        return !(rows[identifier]?.isTold ?? true)
    }

    private enum Weight {
        case success, failure, neither
    }

    /// What somebody else wished for, or what the machine lacks, says nothing of the extension; neither does a time that
    /// the host chose.
    private static func weight(of reason: Termination.Reason) -> Weight {
        switch reason {
        case .completed, .graceExpired: .success
        case .cancelled, .timeLimit, .hostGone, .disabled, .removed, .brokerShutdown, .launchFailed: .neither
        case .exited, .crashed, .memoryLimit, .launchLimit, .processorLimit, .diskLimit, .outputLimit, .messageBudget,
            .unresponsive, .stuck, .deniedOperation, .protocolViolation:
            .failure
        }
    }
}
