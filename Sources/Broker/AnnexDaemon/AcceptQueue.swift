internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Synchronization

/// The new connections of one user, before the daemon has spent any work on them.
///
/// The daemon admits a fixed number of them in a second. A few more wait for the next second, and all others are closed
/// unread. All users share one queue of the kernel, so a user who connects without end must not keep the daemon from
/// the connections behind his own.
final class AcceptQueue: Sendable {
    /// What to do with a new connection.
    enum Turn: Equatable {
        case now, later
        /// - Parameter isTold: whether the client gets the reason. Only a few clients in a second get it, because a
        ///   packet to each of them would be work for the daemon.
        case never(isTold: Bool)
    }

    /// The refused connections that the log does not yet have.
    struct Refusals: Equatable {
        var count = 0
        /// The user and the reason of the last refusal.
        var user: UInt32 = 0
        var why = ""
    }

    private struct State {
        var budget: PeriodBudget
        var reasons = PeriodBudget(8)
        var waiting: [OpenSocket] = []
        var refusals = Refusals()
    }

    /// The most connections that wait for the next second.
    static let mostWaiting = 32

    /// The most connections that are admitted in a second.
    let limit: Int
    private let state: Mutex<State>

    init(perSecond limit: Int) {
        self.limit = limit
        state = Mutex(State(budget: PeriodBudget(limit)))
    }

    /// - Parameter canWait: whether the daemon has a descriptor for a connection that waits.
    func turn(at now: UInt64, canWait: Bool) -> Turn {
        state.withLock { state in
            // A connection does not overtake those that wait.
            if state.waiting.isEmpty, state.budget.spend(at: now) { return .now }
            if canWait, state.waiting.count < Self.mostWaiting { return .later }
            return .never(isTold: state.reasons.spend(at: now))
        }
    }

    /// Keeps a connection until its turn.
    /// - Returns: whether no other connection waits. The caller must then call `next` later.
    func keep(_ socket: OpenSocket) -> Bool {
        state.withLock { state in
            state.waiting.append(socket)
            return state.waiting.count == 1
        }
    }

    /// The next waiting connection; nil if none waits, or if no further one may be admitted now.
    func next(at now: UInt64) -> OpenSocket? {
        state.withLock { state in
            guard !state.waiting.isEmpty, state.budget.spend(at: now) else { return nil }
            return state.waiting.removeFirst()
        }
    }

    var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Counts a refused connection.
    /// - Returns: whether it is the first one since the last report. The caller must then call `takeRefusals` later.
    func countRefusal(of user: UInt32, why: String) -> Bool {
        state.withLock { state in
            state.refusals = Refusals(count: state.refusals.count + 1, user: user, why: why)
            return state.refusals.count == 1
        }
    }

    func takeRefusals() -> Refusals {
        state.withLock { state in
            defer { state.refusals = Refusals() }
            return state.refusals
        }
    }
}

/// What the daemon found out about processes that connected a moment ago. A process that connects again and again
/// therefore costs one look at its user namespace in a second.
final class KnownPeers: Sendable {
    private struct Key: Hashable {
        let process: UInt64
        let user: UInt32
    }

    private struct State {
        var rejections: [Key: BrokerError?] = [:]
        var end: UInt64 = 0
    }

    private static let most = 1024
    private static let period: UInt64 = 1_000_000_000

    private let state = Mutex(State())

    /// The error because of which the machine's daemon does not serve a peer; nil if the daemon serves the peer. The
    /// kernel gives no other process the same identity, so an answer never passes to a process with a reused number.
    /// - Parameter now: nanoseconds of a monotonic clock.
    func rejection(of peer: borrowing PeerIdentity, at now: UInt64) -> BrokerError? {
        guard let process = peer.process.identity else { return peer.rejection() }
        let key = Key(process: process, user: peer.user)
        if let known = state.withLock({ state in now < state.end ? state.rejections[key] : nil }) { return known }
        let found = peer.rejection()
        state.withLock { state in
            if now >= state.end || state.rejections.count >= Self.most {
                state = State(end: now &+ Self.period)
            }
            state.rejections[key] = .some(found)
        }
        return found
    }
}
