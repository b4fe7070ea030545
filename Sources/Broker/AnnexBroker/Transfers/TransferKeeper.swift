internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPortal
internal import AnnexPortalServer
internal import AnnexTransferWire
internal import Glibc
internal import Synchronization

/// Lets an agent move the bytes of one user's background transfers. The agent runs only while a task waits for it or is
/// with it. If the agent ends by itself, the keeper starts it again after a pause, and gives it the same tasks.
///
/// The agent reads what servers send, so the keeper trusts none of its messages.
final class TransferKeeper: TransferMover {
    private struct State {
        var agent: AgentLink?
        /// What the agent has, by the number of the task.
        var held: [UInt64: BookedTask] = [:]
        /// The machines that the agent got, for each task that it has.
        var reached: [UInt64: Set<TransferPlace>] = [:]
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
    private let names: TransferNames
    private let lookups = TransferLookups()
    private let starter: any TransferAgentStarter
    private let log: BrokerLog
    /// The row of everything that waits for the disk.
    private let row = Lane.Row(of: .slow)
    private let state = Mutex(State())

    init(
        _ desk: TransferDesk, on loop: EventLoop, names: TransferNames, starter: any TransferAgentStarter,
        log: BrokerLog
    ) {
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
        let agent = state.withLock { $0.held[key.task]?.key == key ? $0.agent : nil }
        guard let agent, !agent.send(.stop(key, stop)) else { return }
        // An agent that does not read its orders must not go on with a task that has ended.
        agent.end("it does not read its orders")
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
        do throws(StoreError) {
            let now = WallClock.now()
            let expiry = try desk.expire(at: now)
            let tasks = try desk.book.waiting(at: now)
            state.withLock { $0.hasWork = tasks.hasWork }
            try hand(tasks.due)
            let isNeeded = !tasks.due.isEmpty || tasks.next != nil
            rest(from: now, until: [expiry, tasks.next].compactMap(\.self).min(), isNeeded: isNeeded)
        } catch {
            log.failedTransfers("the book of transfers cannot be read: \(error)")
            schedule(after: Self.retry)
        }
    }

    /// How long the keeper waits after a failure of its own.
    private static let retry = Duration.seconds(5)
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
    private func schedule(after pause: Duration) {
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

    private func hand(_ tasks: [Int64]) throws(StoreError) {
        let held = state.withLock { Set($0.held.keys) }
        for number in tasks where !held.contains(UInt64(clamping: number)) {
            // A download that waits for room does not take the place of a further task.
            guard state.withLock({ $0.held.count }) < TransferLimits.jobs, let agent = agent() else { return }
            if let task = try desk.book.task(number) { try hand(task, to: agent) }
        }
    }

    private func hand(_ task: BookedTask, to agent: AgentLink) throws(StoreError) {
        guard let taken = try desk.take(task, boot: TransferBoot.identifier) else { return }
        let order: PreparedJob
        do throws(SystemError) {
            order = try PreparedJob(taken, at: desk, until: taken.expires)
        } catch {
            if [ENOENT, EIO].contains(error.errno) {
                try desk.end(taken, as: .bodyLost)
            } else {
                try desk.giveBack(taken.key, after: Self.retry)
            }
            return
        }
        // The task may have ended while its file was made.
        guard try desk.book.task(taken.number)?.state == .running else {
            if try desk.book.task(taken.number)?.state != .suspended { try desk.staging(of: taken)?.remove() }
            return
        }
        state.withLock { $0.held[taken.key.task] = taken }
        guard !agent.send(.start(order.job), with: order.files) else { return }
        state.withLock { $0.held[taken.key.task] = nil }
        try desk.giveBack(taken.key, after: .milliseconds(200))
    }

    // MARK: The agent

    /// The running agent. If none runs, the call starts one.
    /// - Returns: nil if none can be started now. The keeper then tries it again later.
    private func agent() -> AgentLink? {
        let (running, earliest) = state.withLock { ($0.agent, $0.earliest) }
        if let running { return running }
        let wait = MonotonicClock.remaining(until: earliest)
        guard wait == 0 else {
            schedule(after: .nanoseconds(Int64(clamping: wait)))
            return nil
        }
        do throws(AgentStartFailure) {
            let link = try AgentLink.start(starter, row: row) { [weak self] link, event in
                self?.handle(event, of: link)
            }
            let isOver = state.withLock { state in
                if !state.isOver { state.agent = link }
                return state.isOver
            }
            guard isOver else { return link }
            link.end(nil)
        } catch {
            failed("the agent of transfers cannot be started: \(error.cause)", remedy: error.remedy)
        }
        return nil
    }

    /// Runs in the row.
    private func handle(_ event: AgentLink.Event, of link: AgentLink) {
        guard state.withLock({ $0.agent === link }) else { return }
        do throws(StoreError) {
            switch event {
            case .news(let news): try handle(news, of: link)
            case .ended(let why): try agentEnded(why)
            }
        } catch {
            log.failedTransfers("the book of transfers cannot be written: \(error)")
            schedule(after: Self.retry)
        }
    }

    private func handle(_ news: TransferNews, of link: AgentLink) throws(StoreError) {
        switch news {
        case .lookUp(let question): answer(question, to: link)
        case .progress(let progress):
            guard let task = held(progress.key) else { return }
            desk.note(
                TaskProgress(sent: progress.sent, received: progress.received, expected: progress.expected), of: task)
        case .response(let response):
            guard held(response.key) != nil else { return }
            try desk.answered(response)
        case .ended(let end):
            guard held(end.key) != nil else { return }
            state.withLock { state in
                state.held[end.key.task] = nil
                state.reached[end.key.task] = nil
                state.failures = 0
            }
            lookups.forget(end.key)
            try desk.ended(end)
            look()
        }
    }

    private func held(_ key: TransferKey) -> BookedTask? {
        state.withLock { state in state.held[key.task].flatMap { $0.key == key ? $0 : nil } }
    }

    private func answer(_ question: TransferQuestion, to link: AgentLink) {
        guard let task = held(question.key) else { return }
        noteReached(question, by: task)
        let isTaken = lookups.add(for: question.key) { [names] in
            _ = link.send(.found(names.found(question, for: task.member)))
        }
        if !isTaken { link.end("it has asked more questions at once than its jobs allow") }
    }

    /// The most machines of one attempt: that of the URL, and those of its redirects.
    private static let mostPlaces = TransferLimits.redirects + 1

    private func noteReached(_ question: TransferQuestion, by task: BookedTask) {
        guard names.isNamed(question, for: task.member),
            let place = TransferPlace(host: question.host, port: question.port)
        else { return }
        state.withLock { state in
            guard state.reached[task.key.task, default: []].count < Self.mostPlaces else { return }
            state.reached[task.key.task, default: []].insert(place)
        }
    }

    /// The machines that the agent got for the present attempt of a task.
    func places(of task: BookedTask) -> Set<TransferPlace> { state.withLock { $0.reached[task.key.task] ?? [] } }

    /// The tasks of the agent go to the next one.
    private func agentEnded(_ why: String) throws(StoreError) {
        let keys = state.withLock { state in
            state.agent = nil
            defer { (state.held, state.reached) = ([:], [:]) }
            return state.held.values.map(\.key)
        }
        lookups.forgetAll()
        failed("the agent of transfers has ended: \(why)", remedy: nil)
        for key in keys { try desk.giveBack(key, after: .zero) }
        look()
    }

    private func failed(_ what: String, remedy: String?) {
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

/// A job with the descriptors of its files.
struct PreparedJob: ~Copyable {
    let job: TransferJob
    let files: DescriptorList

    /// Opens the files of a task.
    init(_ task: BookedTask, at desk: TransferDesk, until end: WallClock) throws(SystemError) {
        let staging: TransferStaging
        do throws(StoreError) {
            guard let found = try desk.staging(of: task) else { throw StoreError(.notFound, what: "no session") }
            staging = found
        } catch {
            throw SystemError("open", errno: error.kind == .notFound ? ENOENT : EAGAIN)
        }
        let left = max((end.microseconds - WallClock.now().microseconds) / 1_000_000, 1)
        let whole = UInt32(clamping: min(left, Int64(TransferLimits.longestSeconds)))
        var files = DescriptorList()
        let work: TransferWork
        switch task.job.work {
        case .download(let download):
            let file = try staging.destination(keeping: task.validator != nil)
            let bytes = UInt64(clamping: try file.status().size)
            let most = max(bytes, min(download.mostBytes, task.promised))
            work = .download(TransferDownload(offset: bytes, validator: task.validator, mostBytes: most))
            files.append(file)
        case .upload(let size):
            work = .upload(size: size)
            files.append(try staging.file(0, size: size))
        case .form(let parts):
            work = task.job.work
            for (index, size) in parts.compactMap(\.size).enumerated() {
                files.append(try staging.file(index, size: size))
            }
        }
        job = task.job.with(work).within(TransferPatience(idle: task.job.patience.idle, whole: whole))
        self.files = files
    }
}
