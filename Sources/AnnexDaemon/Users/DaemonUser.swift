internal import AnnexBroker
internal import AnnexLinux
internal import AnnexService
internal import Logging
internal import Synchronization

/// One user as a daemon serves him: a broker with its own warden, registry, places and memory of failures, a store of
/// his own, and what all of his connections together may take.
final class DaemonUser: Sendable {
    struct State {
        var connections = 0
        var openRequests = 0
        var running = 0
        var budget: PacketBudget
        var isLeaving = false
    }

    /// What serves his requests; made with the first one.
    struct Means {
        let broker: Broker
        let store: AppStore
    }

    let number: UInt32
    let options: DaemonOptions
    let logger: Logger
    let state: Mutex<State>
    let means = Mutex<Means?>(nil)
    /// Launches and questions.
    let lane = Lane("annex-user")
    /// What changes his store, which may take a while.
    let changes = Lane("annex-store")
    let closing = Lane("annex-closing")

    init(_ number: UInt32, options: DaemonOptions, logger: Logger) {
        self.number = number
        self.options = options
        self.logger = logger
        state = Mutex(State(budget: PacketBudget(options.limits.packetsPerSecond)))
    }

    // MARK: Quotas

    /// Counts one more, where there may be one.
    /// - Returns: whether it was counted, and has to be given back.
    func take(_ count: any WritableKeyPath<State, Int> & Sendable, most: Int) -> Bool {
        state.withLock { state in
            guard !state.isLeaving, state[keyPath: count] < most else { return false }
            state[keyPath: count] += 1
            return true
        }
    }

    func giveBack(_ count: any WritableKeyPath<State, Int> & Sendable) {
        state.withLock { $0[keyPath: count] -= 1 }
    }

    /// Whether one more packet of his may be read now.
    func mayRead() -> Bool {
        guard closing.count < options.limits.closing else { return false }
        return state.withLock { $0.budget.spend(at: MonotonicClock.now()) }
    }

    /// Whether he has nothing here but what is on disk.
    var isIdle: Bool {
        state.withLock { $0.connections == 0 && $0.running == 0 && $0.openRequests == 0 } && lane.isIdle
            && changes.isIdle
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
