internal import AnnexBrokerAPI
internal import AnnexModel
internal import AnnexRegistry
internal import AnnexSupervision
internal import Synchronization

/// Counts failures in a row, and rejects launches during a pause.
final class FailureHistory: Sendable {
    private let backoff = Mutex(LaunchBackoff())

    func record(_ end: EndedExtension) {
        backoff.withLock { $0.record(end.instance, reason: end.termination.reason, facts: end.facts, at: .now) }
    }

    /// Records that a launch of this instance became ready.
    func becameReady(_ instance: Instance) {
        backoff.withLock { $0.becameReady(instance) }
    }

    /// Throws if a launch must wait because of a pause.
    func check(_ instance: Instance, for origin: String?, log: BrokerLog) throws(BrokerError) {
        let found = backoff.withLock { backoff in
            backoff.pause(instance, for: origin, at: .now).map { pause in
                (pause, isNews: backoff.markLogged(instance, for: pause.isOfOrigin ? origin : nil))
            }
        }
        guard let (pause, isNews) = found else { return }
        let error = BrokerError(pause, of: instance.identifier)
        // One log entry per pause, so that repeated requests do not flood the log.
        if isNews { log.heldBack(instance.identifier, error: error) }
        throw error
    }

    /// Forgets the failures of extensions that are replaced by new versions.
    func forget(_ identifiers: [String]) {
        backoff.withLock { backoff in
            for identifier in identifiers { backoff.forget(identifier) }
        }
    }
}

extension BrokerError {
    fileprivate init(_ pause: LaunchBackoff.Pause, of identifier: String) {
        let last = "the last time with the reason \(pause.reason.rawValue)"
        // The origin is the host's own text and may name a person, so no error and no log entry contains it.
        self.init(
            .heldBack,
            what: pause.isOfOrigin
                ? "failed \(pause.failures) times in a row for this origin, \(last)"
                : "failed \(pause.failures) times in a row before it was ready, \(last)",
            place: identifier,
            remedy: "launch it again in \(pause.left)" + (pause.isOfOrigin ? "; other origins need not wait" : ""))
    }
}

/// The facts of an extension's life that decide which later launches its end delays.
package struct LifeFacts: Sendable, Hashable {
    /// The host's own name for the source of the session's requests; nil if the host named none.
    package var origin: String?
    /// Whether the launch became ready.
    package var becameReady = false
    /// Whether the extension answered a request. It is known only for a session with an origin.
    package var hasAnswered = false
    /// Whether the launch limit passed while the machine gave the process too little time.
    package var wasStarved = false

    package init(origin: String? = nil) {
        self.origin = origin
    }
}

/// Delays launches after repeated failures. After the first few failures in a row, each further failure doubles the
/// pause. This type reads no clock: the caller passes the moments.
///
/// A launch that never becomes ready counts against its instance, and the pause applies to each launch of this
/// instance. An end after that point is the consequence of the session's requests. It counts against the origin that
/// the host named for the session, and the pause applies to this origin alone. Without an origin, it delays no launch.
/// So inputs that end an extension never keep other users of a host from the extension.
struct LaunchBackoff: Sendable {
    /// A pause: its cause, and the time left.
    struct Pause: Sendable, Equatable {
        let failures: Int
        let reason: Termination.Reason
        let left: Duration
        /// Whether the pause applies to one origin alone.
        var isOfOrigin = false
    }

    /// The number of failures in a row that causes the first pause.
    static let free = 5
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(60)
    /// If no further failure follows within this time, the failures in a row are forgotten.
    static let memory = Duration.seconds(600)
    /// How many launches in a row may miss their limit on a busy machine without blame. Without this bound, an
    /// extension that never becomes ready would be launched without a pause for as long as the machine is busy.
    static let mostExcused = 20
    /// The most instances, and the most origins, whose failures are remembered. The host chooses the origins, possibly
    /// after the wishes of its own users, so their number must be bounded.
    static let mostRows = 1_024

    private struct Source: Hashable {
        let instance: Instance
        let origin: String
    }

    private var launches = FailureRows<Instance>()
    private var origins = FailureRows<Source>()

    /// Records an end.
    mutating func record(_ instance: Instance, reason: Termination.Reason, facts: LifeFacts, at now: Moment) {
        guard facts.becameReady else {
            guard Self.weight(of: reason) == .failure else { return }
            if reason == .launchLimit, facts.wasStarved, launches.excuse(instance, reason: reason, at: now) { return }
            return launches.add(instance, reason: reason, at: now)
        }
        guard let origin = facts.origin else { return }
        let source = Source(instance: instance, origin: origin)
        if facts.hasAnswered { origins.remove(source) }
        switch Self.weight(of: reason) {
        case .success: origins.remove(source)
        case .failure: origins.add(source, reason: reason, at: now)
        case .neither: break
        }
    }

    /// Records that a launch became ready. So the failures of earlier launches are forgotten.
    mutating func becameReady(_ instance: Instance) {
        launches.remove(instance)
    }

    /// The pause of a launch; nil if the extension may be launched.
    func pause(_ instance: Instance, for origin: String? = nil, at now: Moment) -> Pause? {
        if let pause = launches.pause(instance, at: now) { return pause }
        guard let origin else { return nil }
        var pause = origins.pause(Source(instance: instance, origin: origin), at: now)
        pause?.isOfOrigin = true
        return pause
    }

    /// Forgets an extension's failures, because a new version replaces it.
    mutating func forget(_ identifier: String) {
        launches.removeAll { $0.identifier == identifier }
        origins.removeAll { $0.instance.identifier == identifier }
    }

    /// Whether the present pause was not logged yet. The call records that the pause is logged now.
    /// - Parameter origin: nil for the pause of all launches of the instance.
    mutating func markLogged(_ instance: Instance, for origin: String? = nil) -> Bool {
        guard let origin else { return launches.markLogged(instance) }
        return origins.markLogged(Source(instance: instance, origin: origin))
    }

    /// How many instances and origins are remembered.
    var count: (launches: Int, origins: Int) { (launches.count, origins.count) }

    private enum Weight {
        case success, failure, neither
    }

    /// Whether an end counts as a failure. An end that a host, a user or the broker requested does not count. A launch
    /// that the machine failed does not count either. An end at the time limit of a request does not count, because the
    /// host can choose that limit.
    private static func weight(of reason: Termination.Reason) -> Weight {
        switch reason {
        case .completed, .graceExpired: .success
        case .timeLimit, .launchFailed: .neither
        default: reason.isRequested ? .neither : .failure
        }
    }
}

/// The failures in a row of several subjects. If there are too many subjects, the one whose last failure is the oldest
/// is forgotten.
private struct FailureRows<Subject: Hashable & Sendable>: Sendable {
    private struct Row {
        var failures = 0
        /// The launches in a row for which the machine was to blame.
        var excused = 0
        var last: Moment
        var reason: Termination.Reason
        /// Whether the pause after the last failure was logged.
        var isLogged = false
    }

    private var rows: [Subject: Row] = [:]

    var count: Int { rows.count }

    mutating func add(_ subject: Subject, reason: Termination.Reason, at now: Moment) {
        change(subject, reason: reason, at: now) { row in
            row.failures += 1
            row.isLogged = false
        }
    }

    /// Records a failure that does not count.
    /// - Returns: false if too many failures in a row were excused already.
    mutating func excuse(_ subject: Subject, reason: Termination.Reason, at now: Moment) -> Bool {
        guard (known(subject, at: now)?.excused ?? 0) < LaunchBackoff.mostExcused else { return false }
        change(subject, reason: reason, at: now) { $0.excused += 1 }
        return true
    }

    mutating func remove(_ subject: Subject) {
        rows[subject] = nil
    }

    mutating func removeAll(where isGone: (Subject) -> Bool) {
        rows = rows.filter { !isGone($0.key) }
    }

    func pause(_ subject: Subject, at now: Moment) -> LaunchBackoff.Pause? {
        guard let row = known(subject, at: now), row.failures >= LaunchBackoff.free else { return nil }
        let doublings = min(row.failures - LaunchBackoff.free, 6)
        let pause = min(LaunchBackoff.shortest * (1 << doublings), LaunchBackoff.longest)
        let left = pause - now.since(row.last)
        return left > .zero ? .init(failures: row.failures, reason: row.reason, left: left) : nil
    }

    mutating func markLogged(_ subject: Subject) -> Bool {
        defer { rows[subject]?.isLogged = true }
        return !(rows[subject]?.isLogged ?? true)
    }

    /// The row of a subject; nil if its last failure was too long ago.
    private func known(_ subject: Subject, at now: Moment) -> Row? {
        rows[subject].flatMap { now.since($0.last) < LaunchBackoff.memory ? $0 : nil }
    }

    private mutating func change(
        _ subject: Subject, reason: Termination.Reason, at now: Moment, _ body: (inout Row) -> Void
    ) {
        var row = known(subject, at: now) ?? Row(last: now, reason: reason)
        if rows[subject] == nil { makeRoom(at: now) }
        body(&row)
        (row.last, row.reason) = (now, reason)
        rows[subject] = row
    }

    private mutating func makeRoom(at now: Moment) {
        guard rows.count >= LaunchBackoff.mostRows else { return }
        rows = rows.filter { now.since($0.value.last) < LaunchBackoff.memory }
        guard rows.count >= LaunchBackoff.mostRows, let oldest = rows.min(by: { $0.value.last < $1.value.last }) else {
            return
        }
        rows[oldest.key] = nil
    }
}
