internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexLinux
internal import AnnexSigning
internal import Logging
internal import Synchronization

/// A user of the daemon. Each user has a store, and a broker with its own warden, registry, instance slots and record
/// of failures. The quotas apply to all connections of the user together.
final class DaemonUser: Sendable {
    struct State {
        var connections = 0
        var openRequests = 0
        var running = 0
        /// The bytes that wait to be sent because the user's hosts do not read.
        var unread = 0
        /// When the user's last connection ended, on the monotonic clock.
        var lastEnd: UInt64 = 0
        var packets: PeriodBudget
        var changes: PeriodBudget
        /// Limits the log entries about connections that broke a rule.
        var breaks = PeriodBudget(1)
        var isLeaving = false
    }

    /// The user's broker and store. The first request makes them.
    struct UserResources: Sendable {
        let broker: Broker
        let store: AppStore
        /// The teams that the user trusts, in a file of the store.
        let trust: TrustStore
        /// Keeps other processes away from this user's store.
        let lock: UserLock
    }

    let number: UInt32
    let options: DaemonOptions
    let space: StoreSpace
    let descriptors: DescriptorBudget
    let logger: Logger
    let state: Mutex<State>
    let resources = Mutex<UserResources?>(nil)
    /// This lock is held while `resources` are made. During this time, the user's installed apps are checked, which may
    /// take long. Only requests of this user wait for the lock.
    let making = Mutex(())
    /// Runs launches and queries.
    let lane = Lane("annex-user")
    /// Runs changes of the store, which may take a while.
    let changes = Lane("annex-store")
    let closing = Lane("annex-closing")
    /// The user's new connections.
    let accepts: AcceptQueue
    /// The user's open connections, which get news of changes.
    private let listeners = Mutex<[ObjectIdentifier: Listener]>([:])

    private struct Listener: Sendable {
        weak let connection: (any ChangeListener)?
    }

    init(
        _ number: UInt32, options: DaemonOptions, space: StoreSpace, descriptors: DescriptorBudget, logger: Logger
    ) {
        self.number = number
        self.options = options
        self.space = space
        self.descriptors = descriptors
        self.logger = logger
        accepts = AcceptQueue(perSecond: options.limits.acceptsPerSecond)
        state = Mutex(
            State(
                packets: PeriodBudget(options.limits.packetsPerSecond),
                changes: PeriodBudget(options.limits.changesPerMinute, seconds: 60)))
    }

    // MARK: Quotas

    /// Counts one more connection, request or extension, if the limit allows it.
    /// - Returns: whether the limit allowed it. If so, the caller must call `giveBack` later.
    func acquire(_ count: any WritableKeyPath<State, Int> & Sendable, most: Int) -> Bool {
        state.withLock { state in
            guard !state.isLeaving, state[keyPath: count] < most, hasDescriptors(state) else { return false }
            state[keyPath: count] += 1
            return true
        }
    }

    /// Whether one more extension of this user would leave enough descriptors for other users.
    func hasDescriptors(_ state: State) -> Bool {
        let held =
            state.running * DescriptorBudget.perExtension + state.connections * DescriptorBudget.perConnection
            + closing.count
        return held + DescriptorBudget.perExtension <= descriptors.ofOneUser
    }

    func giveBack(_ count: any WritableKeyPath<State, Int> & Sendable) {
        state.withLock { $0[keyPath: count] -= 1 }
    }

    /// Records a change in the number of bytes that wait to be sent to the user's hosts.
    /// - Returns: false if more bytes wait than the user may have.
    func keep(_ change: Int) -> Bool {
        guard change != 0 else { return true }
        return state.withLock { state in
            state.unread += change
            return change < 0 || state.unread <= options.limits.unreadBytes
        }
    }

    /// Whether more of the user's descriptors may wait to be closed.
    var hasRoomToClose: Bool { closing.count < options.limits.closing }

    /// Whether one more packet of the user may be read now.
    func mayRead() -> Bool {
        guard hasRoomToClose else { return false }
        return state.withLock { $0.packets.spend(at: MonotonicClock.now()) }
    }

    /// Whether one more change of the user's store may be made now.
    func mayChange() -> Bool { state.withLock { $0.changes.spend(at: MonotonicClock.now()) } }

    /// Whether the log may have one more entry about a connection of this user that broke a rule.
    func mayLogBreak() -> Bool { state.withLock { $0.breaks.spend(at: MonotonicClock.now()) } }

    /// Whether the user has no connection, no extension, no open request and no background transfer in this daemon.
    var isIdle: Bool {
        state.withLock { $0.connections == 0 && $0.running == 0 && $0.openRequests == 0 } && lane.isIdle
            && changes.isIdle && !(resources.withLock { $0 }?.broker.hasTransfers ?? false)
    }

    /// Records that a connection of the user has ended.
    func connectionEnded() {
        state.withLock { state in
            state.connections -= 1
            state.lastEnd = MonotonicClock.now()
        }
    }

    /// Whether the user has been idle for this time.
    func hasRested(for time: Duration) -> Bool {
        let moment = state.withLock { $0.lastEnd }
        return isIdle && MonotonicClock.now() &- moment >= MonotonicClock.nanoseconds(time)
    }

    // MARK: Changes

    /// Passes the number of each change on to a connection, as long as the connection exists.
    func listen(_ connection: any ChangeListener) {
        listeners.withLock { listeners in
            // A connection that closed during its welcome may have been removed before it was added. So this code
            // removes the entries of connections that no longer exist.
            listeners = listeners.filter { $0.value.connection != nil }
            listeners[ObjectIdentifier(connection)] = Listener(connection: connection)
        }
    }

    func stopListening(_ connection: any ChangeListener) {
        _ = listeners.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }

    /// Announces a change of the installed apps and extensions to every connection of the user.
    func announce(_ number: UInt64) {
        for listener in listeners.withLock({ Array($0.values) }) { listener.connection?.announce(number) }
    }

    // MARK: Ends

    /// Launches no more extensions, and ends running extensions with the reason `brokerShutdown`. A second call has no
    /// effect.
    func leave() {
        state.withLock { $0.isLeaving = true }
        resources.withLock { $0 }?.broker.shutDown()
    }

    /// Ends the warden, and waits for its end.
    func dropResources() {
        let dropped = resources.withLock { $0.take() }
        withExtendedLifetime(dropped) {}
    }
}

/// An object that is told about each change of the installed apps and extensions.
protocol ChangeListener: AnyObject, Sendable {
    /// - Parameter number: the number of the change.
    func announce(_ number: UInt64)
}

/// Limits how often something may happen in a period, for example packets in a second. This type reads no clock: the
/// caller passes the moments.
struct PeriodBudget: Sendable {
    private let limit: Int
    private let window: UInt64
    private var left: Int
    private var windowEnds: UInt64 = 0

    /// - Parameter seconds: the length of the period.
    init(_ limit: Int, seconds: UInt64 = 1) {
        self.limit = limit
        window = seconds &* 1_000_000_000
        left = limit
    }

    /// - Parameter now: nanoseconds of a monotonic clock.
    /// - Returns: true as long as the period's limit is not exceeded.
    mutating func spend(at now: UInt64) -> Bool {
        if now >= windowEnds {
            windowEnds = now &+ window
            left = limit
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
