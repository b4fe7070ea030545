internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Logging
internal import Synchronization

/// One user as a daemon serves him: a broker with its own warden, registry, places and memory of failures, a store of
/// his own, and what all of his connections together may take.
final class DaemonUser: Sendable {
    struct State {
        var connections = 0
        var openRequests = 0
        var running = 0
        /// Bytes that his connections have not read.
        var unread = 0
        /// When a connection of his ended last, on the monotonic clock.
        var lastEnd: UInt64 = 0
        var packets: RateBudget
        var changes: RateBudget
        /// Lines of the log about connections that were broken off.
        var breaks = RateBudget(1)
        var isLeaving = false
    }

    /// What serves his requests; made with the first one.
    struct UserResources: Sendable {
        let broker: Broker
        let store: AppStore
        /// Nobody else has this user's store meanwhile.
        let lock: UserLock
    }

    let number: UInt32
    let options: DaemonOptions
    let space: StoreSpace
    let descriptors: DescriptorBudget
    let logger: Logger
    let state: Mutex<State>
    let means = Mutex<UserResources?>(nil)
    /// Held while his means are made, which lasts as long as he has apps to be checked: nobody else waits for that.
    let making = Mutex(())
    /// Launches and questions.
    let lane = Lane("annex-user")
    /// What changes his store, which may take a while.
    let changes = Lane("annex-store")
    let closing = Lane("annex-closing")

    init(
        _ number: UInt32, options: DaemonOptions, space: StoreSpace, descriptors: DescriptorBudget, logger: Logger
    ) {
        self.number = number
        self.options = options
        self.space = space
        self.descriptors = descriptors
        self.logger = logger
        state = Mutex(
            State(
                packets: RateBudget(options.limits.packetsPerSecond),
                changes: RateBudget(options.limits.changesPerMinute, seconds: 60)))
    }

    // MARK: Quotas

    /// Counts one more, where there may be one.
    /// - Returns: whether it was counted, and has to be given back.
    func take(_ count: any WritableKeyPath<State, Int> & Sendable, most: Int) -> Bool {
        state.withLock { state in
            guard !state.isLeaving, state[keyPath: count] < most, hasDescriptors(state) else { return false }
            state[keyPath: count] += 1
            return true
        }
    }

    /// Whether one more of anything would leave other users enough descriptors.
    func hasDescriptors(_ state: State) -> Bool {
        let held =
            state.running * DescriptorBudget.perExtension + state.connections * DescriptorBudget.perConnection
            + closing.count
        return held + DescriptorBudget.perExtension <= descriptors.ofOneUser
    }

    func giveBack(_ count: any WritableKeyPath<State, Int> & Sendable) {
        state.withLock { $0[keyPath: count] -= 1 }
    }

    /// Takes note of bytes that a connection of his keeps for its host, or has sent.
    /// - Returns: whether so many more may be kept.
    func keep(_ change: Int) -> Bool {
        guard change != 0 else { return true }
        return state.withLock { state in
            state.unread += change
            return change < 0 || state.unread <= options.limits.unreadBytes
        }
    }

    /// Whether more of what he sends can wait to be closed.
    var hasRoomToClose: Bool { closing.count < options.limits.closing }

    /// Whether one more packet of his may be read now.
    func mayRead() -> Bool {
        guard hasRoomToClose else { return false }
        return state.withLock { $0.packets.spend(at: MonotonicClock.now()) }
    }

    /// Whether one more change of his store may be made now.
    func mayChange() -> Bool { state.withLock { $0.changes.spend(at: MonotonicClock.now()) } }

    /// Whether the log may hear of one more connection of his that was broken off.
    func mayTellOfBreak() -> Bool { state.withLock { $0.breaks.spend(at: MonotonicClock.now()) } }

    /// Whether he has nothing here but what is on disk.
    var isIdle: Bool {
        state.withLock { $0.connections == 0 && $0.running == 0 && $0.openRequests == 0 } && lane.isIdle
            && changes.isIdle
    }

    /// A connection of his has ended.
    func connectionEnded() {
        state.withLock { state in
            state.connections -= 1
            state.lastEnd = MonotonicClock.now()
        }
    }

    /// Whether he has had nothing here for so long.
    func hasRested(for time: Duration) -> Bool {
        let moment = state.withLock { $0.lastEnd }
        return isIdle && MonotonicClock.now() &- moment >= MonotonicClock.nanoseconds(time)
    }

    // MARK: Ends

    /// Nothing can be launched any more; what runs ends as `brokerShutdown`. More than once is harmless.
    func leave() {
        state.withLock { $0.isLeaving = true }
        means.withLock { $0 }?.broker.shutDown()
    }

    /// Ends the warden, and waits for it.
    func dropMeans() {
        let dropped = means.withLock { $0.take() }
        withExtendedLifetime(dropped) {}
    }
}
