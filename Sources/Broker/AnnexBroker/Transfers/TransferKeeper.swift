internal import AnnexLinux
internal import AnnexPortalServer
internal import AnnexTransferWire
internal import Synchronization

/// Lets an agent move the bytes of one user's background transfers. The agent runs only while a task waits for it or is
/// with it. If the agent ends by itself, the keeper starts it again after a pause, and gives it the same tasks.
///
/// The agent reads what servers send, so the keeper trusts none of its messages.
final class TransferKeeper: TransferMover {
    struct State {
        var agent: AgentLink?
        /// What the agent has, by the number of the task.
        var held: [UInt64: BookedTask] = [:]
        /// The machines that the agent got, for each task that it has.
        var reached: [UInt64: Set<TransferPlace>] = [:]
        /// News that could not be written into the book, by the number of the task.
        var unwritten: [UInt64: [TransferNews]] = [:]
        /// When the agent must have stopped a task, on the monotonic clock.
        var stops: [UInt64: UInt64] = [:]
        /// The attempts whose answer has begun.
        var answered: Set<TransferKey> = []
        /// Whether a task had no outcome when the keeper last looked.
        var hasWork = true
        var isAsked = false
        var isOver = false
        /// How many agents have ended by themselves, one after another.
        var failures: Int64 = 0
        /// The earliest time of the next start, on the monotonic clock.
        var earliest: UInt64 = 0
        /// When the keeper looks the next time by itself, on the monotonic clock; nil if it does not. Other timers do
        /// nothing.
        var next: UInt64?
    }

    let desk: TransferDesk
    private let loop: EventLoop
    let names: TransferNames
    let lookups = TransferLookups()
    let starter: any TransferAgentStarter
    let log: BrokerLog
    private let network: TransferNetwork
    /// The row of everything that waits for the disk.
    let row = Lane.Row(of: .slow)
    let state = Mutex(State())

    init(
        _ desk: TransferDesk, on loop: EventLoop, names: TransferNames, starter: any TransferAgentStarter,
        network: TransferNetwork, log: BrokerLog
    ) {
        self.network = network
        self.desk = desk
        self.loop = loop
        self.names = names
        self.starter = starter
        self.log = log
    }

    // MARK: The desk's side

    func look() {
        let mustWork = state.withLock { state in
            defer { state.isAsked = true }
            return !state.isAsked && !state.isOver
        }
        if mustWork { row.run { [weak self] in self?.work() } }
    }

    func stop(_ key: TransferKey, as stop: TransferStop) {
        // A further attempt may have begun since the task was read.
        let (agent, held) = state.withLock { ($0.agent, $0.held[key.task]?.key) }
        if let agent, let held { tell(agent, to: stop, of: held) }
    }

    /// How long the agent has for the end of a task that it is told to stop.
    private static let patience = Duration.seconds(10)

    func tell(_ agent: AgentLink, to stop: TransferStop, of key: TransferKey) {
        guard agent.send(.stop(key, stop)) else {
            // An agent that does not read its orders must not go on with a task that has ended.
            return agent.end("it does not read its orders")
        }
        let deadline = MonotonicClock.deadline(after: Self.patience)
        state.withLock { state in
            if state.held[key.task]?.key == key, state.stops[key.task] == nil { state.stops[key.task] = deadline }
        }
        schedule(after: Self.patience)
    }

    /// Ends an agent that goes on with a task although it was told to stop.
    private func endStubborn() {
        let (agent, deadline) = state.withLock { ($0.agent, $0.stops.values.min()) }
        guard let agent, let deadline else { return }
        let left = MonotonicClock.remaining(until: deadline)
        guard left > 0 else { return agent.end("it does not stop a task") }
        // This look may have come in the place of the one at the deadline.
        schedule(after: .nanoseconds(Int64(clamping: left)))
    }

    /// Ends the agent for good.
    func end() {
        let agent = state.withLock { state in
            state.isOver = true
            return state.agent.take()
        }
        agent?.end(nil)
    }

    /// Whether a task has no outcome yet.
    var hasWork: Bool { state.withLock { $0.hasWork } }

    // MARK: Work

    private func work() {
        let isOver = state.withLock { state in
            state.isAsked = false
            return state.isOver
        }
        guard !isOver else { return }
        endStubborn()
        do throws(StoreError) {
            for failure in try desk.recoverOnce() { report(failure) }
            let now = WallClock.now()
            let expiry = expire(at: now)
            writeAgain()
            let held = state.withLock { state in Set(state.held.values.map(\.key)) }
            for failure in try desk.settle(unless: { held.contains($0) }) { report(failure) }
            for failure in desk.wakeOwed() { report(failure) }
            if desk.owesWakes { schedule(after: Self.retry) }
            let owes = desk.owesWakes
            let tasks = try desk.book.waiting(at: now)
            state.withLock { $0.hasWork = owes || tasks.hasWork }
            let mayBegin = tasks.due.isEmpty || network.isThere { [weak self] in self?.look() }
            if mayBegin { try hand(tasks.due) }
            let isNeeded = mayBegin && (!tasks.due.isEmpty || tasks.next != nil)
            rest(from: now, until: [expiry, tasks.next].compactMap(\.self).min(), isNeeded: isNeeded)
        } catch {
            report(error)
        }
    }

    /// Logs a failure of the book or of the files, and tries again after a pause.
    func report(_ failure: StoreError) {
        log.failedTransfers("\(failure)")
        schedule(after: Self.retry)
    }

    /// One task that cannot be ended must not stop the others.
    private func expire(at now: WallClock) -> WallClock? {
        do throws(StoreError) {
            return try desk.expire(at: now)
        } catch {
            report(error)
            return nil
        }
    }

    /// How long the keeper waits after a failure of its own.
    static let retry = Duration.seconds(5)
    /// The longest wait for which the agent stays without a task.
    private static let idle: Int64 = 10_000_000

    /// Plans the next look, and ends an agent that has nothing to do.
    private func rest(from now: WallClock, until next: WallClock?, isNeeded: Bool) {
        let pause = next.map { max($0.microseconds - now.microseconds, 0) }
        let agent = state.withLock { state -> AgentLink? in
            guard state.held.isEmpty, !isNeeded || (pause ?? .max) > Self.idle else { return nil }
            return state.agent.take()
        }
        agent?.end(nil)
        if let pause { schedule(after: .microseconds(min(pause, 3_600_000_000)) + .milliseconds(1)) }
    }

    /// Looks again after a pause, or earlier if an earlier look is planned.
    func schedule(after pause: Duration) {
        let moment = MonotonicClock.deadline(after: pause)
        let isEarliest = state.withLock { state in
            if let next = state.next, next <= moment { return false }
            state.next = moment
            return true
        }
        guard isEarliest else { return }
        loop.schedule(at: moment) { [weak self] in
            let isDue = self?.state.withLock { state in
                guard state.next == moment else { return false }
                state.next = nil
                return true
            }
            if isDue == true { self?.look() }
        }
    }

    func failed(_ what: String, remedy: String?) {
        log.failedTransfers(what + (remedy.map { "; \($0)" } ?? ""))
        let pause = state.withLock { state in
            let seconds = min(Int64(1) << min(state.failures, 10), 15 * 60)
            state.failures += 1
            // Up to a half longer, so that the agents of many users do not start at once.
            let pause = Duration.milliseconds(Int64.random(in: 1000...1500) * seconds)
            state.earliest = MonotonicClock.deadline(after: pause)
            return pause
        }
        schedule(after: pause)
    }
}
