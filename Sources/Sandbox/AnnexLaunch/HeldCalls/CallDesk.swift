internal import AnnexLinux
internal import AnnexNames
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Answers the calls that one sandbox's filter refers to the broker: it receives a call, orders what is to be done
/// about it, and answers it. Decisions use only the call's number and registers, never memory that the process can
/// change. In mode `enforce` the desk lets no denied call through.
final class CallDesk: Sendable {
    /// The most calls that are answered in one turn of the loop, so that many denials of one sandbox delay no other
    /// sandbox.
    static let turn = 16
    /// How many calls may be left to do, beside one call for each process that the policy allows.
    static let spare = 1_024
    /// How many kinds of denied calls get a backtrace.
    static let backtraces = 16

    enum Report: Sendable {
        case denied(Denial, total: Int)
        case aborted
    }

    /// The facts by which one sandbox's denials are judged.
    struct Scene: Sendable {
        var policy: Policy
        var mode = DenialMode.enforce
        var hasReaper = false
        /// Whether a control group counts all memory of the sandbox.
        var isMemoryEnforced = false
        /// The sandbox's name in the log.
        var name = ""
        var isLogged = true
        /// Whether the arguments of calls may reveal private input, and are therefore not recorded.
        var hasPrivateInput = false
        /// Policies that the program could get. The first policy that covers a denied call is the remedy.
        var offers: [PolicyOffer] = []
        /// The directory of the bundle, for a program that has no root file system of its own.
        var bundle: String?
        /// Whether the sandbox has a terminal of its own. If so, the sandbox shows `/dev/tty`, whatever the policy
        /// says.
        var hasTerminal = false
        /// Where the caller's home has what the program looks for in its HOME; nil if the program has the caller's
        /// HOME.
        var home: HomeCounterpart?
        /// The program's executable. If it is nil, the sandbox gets no backtraces.
        var program: ProgramFile?
        /// The calls by which the program executes files, if they are watched.
        var executions: ExecutionCalls?
        /// The ways to other machines, with `network: hosts`.
        var routes: HostRoutes?
        /// The extension whose grant names the hosts; nil for a program.
        var grantee: String?
        /// Whether Landlock keeps the program from connecting TCP sockets.
        var guardsConnections = false
        /// Which connections the broker makes for a program; nil for all that the policy allows.
        var connections: (@Sendable (InternetAddress) -> Bool)?
    }

    let scene: Scene
    let decider: DenialDecider
    let listener: Descriptor
    let books: Mutex<DenialRecorder>
    private let locks = SandboxLocks()
    private let objects: SandboxObjects
    /// The rows of this sandbox on the lane of held calls: for examinations, and for calls within each bound. A lock
    /// that hangs on a network's file system delays no connection, and no report of the sandbox's end.
    private let examinations = Lane.Row(of: .calls)
    private let bounds = Dictionary(uniqueKeysWithValues: CallBound.allCases.map { ($0, Lane.Row(of: .calls)) })
    private let backlog = Mutex(Backlog())
    let executions: Mutex<AskedExecutions>
    private let watch = Mutex<EventLoop.Watch?>(nil)
    /// The event loop that receives calls. It serves no channel.
    private let answers: EventLoop
    /// The event loop that delivers the reports.
    private let loop: EventLoop
    private let report: @Sendable (Report) -> Void
    /// Reports that the event loop has not delivered yet.
    private let undelivered = Mutex<[Report]>([])
    /// How many waiting reports are kept one by one. Beyond this number, a new report replaces the last waiting
    /// report. This applies only if later reports include everything that the two reports say (`isSum`).
    static let mostUndelivered = 1_024

    init(
        _ listener: consuming Descriptor, scene: Scene, on loop: EventLoop,
        report: @escaping @Sendable (Report) -> Void
    ) throws(SystemError) {
        self.listener = listener
        self.scene = scene
        self.loop = loop
        self.report = report
        decider = DenialDecider(policy: scene.policy, mode: scene.mode, hasReaper: scene.hasReaper)
        books = Mutex(DenialRecorder(scene))
        objects = SandboxObjects(scene.policy.limits, isMemoryEnforced: scene.isMemoryEnforced)
        executions = Mutex(AskedExecutions(scene.policy))
        answers = try AnswerLoop.shared()
        // If the kernel does not support this setting, the answers take longer but stay the same.
        if scene.mode != .enforce || scene.executions != nil { _ = annex_notification_hurry(self.listener.number) }
        scene.routes?.hosts.whenRefused { [weak self] refusal in self?.examine { $0.record(refusal) } }
        try listen()
    }

    private func listen() throws(SystemError) {
        let watch = try answers.watch(listener.number) { [weak self] readiness in self?.answer(readiness) }
        self.watch.withLock { $0 = watch }
    }

    deinit {
        watch.withLock { $0.take() }?.cancel()
    }

    /// Stops answering. The stacks copied so far are walked, and their functions are named. Then `done` is called once
    /// with every denial, on the thread of `PostMortem`. By then all reports have been handed to the loop.
    func finish(_ done: @escaping @Sendable (DenialSummary) -> Void) {
        answers.execute { [self] in
            backlog.withLock { $0.isClosed = true }
            watch.withLock { $0.take() }?.cancel()
            // The end is queued behind the call that is being examined, so that no denial is lost. If a file system
            // makes that examination hang, the end waits too.
            examine { [self] _ in PostMortem.shared.end { [self] in done(close()) } }
        }
    }

    /// The summary of the denials known now. This summary is used if the report of the sandbox's end cannot wait for
    /// `finish` any longer.
    func soFar() -> DenialSummary {
        // The thread that holds the lock may hang, so this call does not wait for the lock.
        var summary = books.withLockIfAvailable { $0.lastSummary(scene) } ?? DenialSummary()
        summary.missing = summary.missing ?? "the last denied calls were not examined in time"
        return summary
    }

    private func answer(_ readiness: Readiness) {
        guard readiness.contains(.readable) else {
            // All processes that could make a call have ended.
            watch.withLock { $0.take() }?.cancel()
            return
        }
        do throws(SystemError) {
            for _ in 0..<Self.turn {
                // Calls of killed threads leave the kernel's queue, and not this one. So their number has a bound too.
                if backlog.withLock({ $0.stop(above: scene.policy.limits.processes + Self.spare) }) {
                    watch.withLock { $0.take() }?.cancel()
                    return
                }
                if let call = try HeldCall.receive(from: listener) { take(call) }
                // Receiving blocks if no call is waiting. So the loop receives the next call only if a call waits.
                guard annex_notification_waiting(listener.number) != 0 else { return }
            }
        } catch {
            // If the listener cannot be read, no call is answered. The calling threads wait, and can be killed.
            examine { desk in desk.books.withLock { $0.missing = "\(error)" } }
            watch.withLock { $0.take() }?.cancel()
        }
    }

    /// Begins with a call. Only registers decide about the first look at a call within a bound. Any other work may read
    /// memory of the program or judge paths, which takes long if a file system is slow.
    private func take(_ call: HeldCall) {
        let verdict = decider.policy.verdict(number: call.number, arguments: call.arguments)
        let decision = decider.decide(call, verdict: verdict)
        if scene.mode == .enforce, decision == .proceed, let bound = verdict.bound {
            return ask(handler(for: bound, of: call), about: call, verdict: verdict)
        }
        examine { $0.handle(call, verdict: verdict, decision: decision) }
    }

    /// Runs a job after the examinations of this sandbox's earlier calls. If the lane can have no thread, the calls
    /// wait until it has one. The thread that receives the calls never examines one, because it must not wait.
    private func examine(_ job: @escaping @Sendable (CallDesk) -> Void) {
        backlog.withLock { $0.count += 1 }
        examinations.run { [weak self] in
            guard let self else { return }
            job(self)
            doneOne()
        }
    }

    /// Receives calls again if few are left to do.
    private func doneOne() {
        let goesOn = backlog.withLock { $0.finishOne(below: Self.spare) }
        guard goesOn else { return }
        answers.execute { [weak self] in self?.listenAgain() }
    }

    private func listenAgain() {
        guard backlog.withLock({ !$0.isClosed }) else { return }
        do throws(SystemError) {
            try listen()
        } catch {
            examine { desk in desk.books.withLock { $0.missing = "\(error)" } }
        }
    }

    private func handle(_ call: HeldCall, verdict: Verdict, decision: DenialDecider.Decision) {
        if passExecution(call) { return }
        if recordCrash(call, isAbort: verdict.answer == .aborting) { return }
        if scene.mode == .learn {
            record(call, decision: decision)
        } else if let answer = decider.answer(verdict, decision: decision) {
            deny(call, verdict: offering(verdict, for: call), decision: decision, answer: answer)
        } else if decision == .proceed, let bound = verdict.bound, !scene.mode.isPermissive {
            ask(handler(for: bound, of: call), about: call, verdict: verdict)
        } else if decision == .proceed {
            explain(call)
        }
        if decision == .abort { deliver(.aborted) }
    }

    /// The verdict on a denied call. If an offered policy covers the call, that policy is the remedy.
    private func offering(_ verdict: Verdict, for call: HeldCall) -> Verdict {
        guard let offer = scene.offers.first(where: { $0.covers(call) }) else { return verdict }
        var verdict = verdict
        verdict.remedy = offer.remedy
        return verdict
    }

    private func handler(for bound: CallBound, of call: HeldCall) -> any CallBoundHandler {
        switch bound {
        case .locks: LockHandler(locks)
        case .connections: ProgramConnection(where: scene.connections)
        case .hosts: hostHandler(of: call)
        case .objects: ObjectHandler(objects: objects)
        case .tracing: TracerHandler()
        }
    }

    private func hostHandler(of call: HeldCall) -> any CallBoundHandler {
        let routes = scene.routes ?? HostRoutes(HostRules())
        guard SystemCall(number: call.number)?.name == "connect" else {
            return HostBinding(by: routes, isGuarded: scene.guardsConnections)
        }
        return HostConnection(by: routes, isGuarded: scene.guardsConnections)
    }

    private func ask(_ handler: any CallBoundHandler, about call: HeldCall, verdict: Verdict) {
        var handler = handler
        let step = handler.handle(call, on: listener)
        take(step, of: handler, about: call, verdict: verdict)
    }

    private func take(_ step: CallStep, of handler: any CallBoundHandler, about call: HeldCall, verdict: Verdict) {
        switch step {
        case .proceed: call.proceed(on: listener)
        case .complete: call.complete(on: listener)
        case .fail(let errno): call.deny(errno, on: listener)
        case .deny(let errno, let reason, let text):
            var verdict = verdict
            verdict.reason = reason ?? verdict.reason
            examine { [verdict] desk in
                desk.deny(
                    call, verdict: verdict, decision: .deny(errno: errno), answer: .denied(errno: errno), text: text)
            }
        case .refuse(let refusal, let errno):
            examine { desk in desk.refuse(refusal, by: call, errno: errno, verdict: verdict) }
        case .again(let moment, let event):
            let look = Once { [weak self] in
                guard let self else { return }
                guard call.isHeld(on: listener) else { return handler.abandon() }
                ask(handler, about: call, verdict: verdict)
            }
            guard later(for: verdict.bound, at: moment, { look.run() }) else {
                return take(type(of: handler).withoutThread, of: handler, about: call, verdict: verdict)
            }
            event?.then { [weak self] in _ = self?.later(for: verdict.bound, at: 0) { look.run() } }
        }
    }

    /// Answers a call. For `end` it sends no answer: the calling thread waits until it is killed, and never sees a
    /// result of its call.
    func settle(_ call: HeldCall, with decision: DenialDecider.Decision) {
        switch decision {
        case .deny(let errno): call.deny(errno, on: listener)
        case .proceed: call.proceed(on: listener)
        case .end, .abort: break
        }
    }

    /// Continues with a call within a bound on the lane of held calls. The call waits meanwhile.
    ///
    /// - Parameter moment: when to continue, in the time of `MonotonicClock`; 0 for as soon as possible.
    /// - Returns: false if the lane can have no thread.
    private func later(for bound: CallBound?, at moment: UInt64, _ step: @escaping @Sendable () -> Void) -> Bool {
        let row = bound.flatMap { bounds[$0] } ?? examinations
        do throws(SystemError) {
            try row.schedule(at: moment) { [weak self] in
                guard let self else { return }
                step()
                doneOne()
            }
            backlog.withLock { $0.count += 1 }
            return true
        } catch {
            return false
        }
    }

    /// Delivers reports on the shared loop in order. No report comes after the last summary.
    func deliver(_ news: Report) {
        let isFirst = undelivered.withLock { undelivered in
            if undelivered.count >= Self.mostUndelivered, news.isSum, undelivered[undelivered.count - 1].isSum {
                undelivered.removeLast()
            }
            undelivered.append(news)
            return undelivered.count == 1
        }
        if isFirst { loop.execute { [self] in deliverRest() } }
    }

    /// The calls that were received and are not done.
    struct Backlog {
        var count = 0
        /// Whether receiving was stopped until there are fewer calls.
        var isStopped = false
        /// Whether no call is received any more.
        var isClosed = false

        mutating func stop(above most: Int) -> Bool {
            if count > most { isStopped = true }
            return isStopped
        }

        /// - Returns: whether to receive calls again.
        mutating func finishOne(below least: Int) -> Bool {
            count -= 1
            guard isStopped, count < least else { return false }
            isStopped = false
            return true
        }
    }

    private func deliverRest() {
        let rest = undelivered.withLock { undelivered in
            defer { undelivered = [] }
            return undelivered
        }
        for news in rest { report(news) }
    }
}

extension Lane {
    /// The lane for work on the held calls of all sandboxes: denied calls, judged paths, connections, locks and
    /// tracers. Each sandbox has rows of its own, so that its calls do not delay those of another. A program decides
    /// how long some steps take: its memory may be mapped from a file system that does not answer, and the last close
    /// of its socket may wait. The first long step of a row costs the other sandboxes the lane's patience. While the
    /// row has further long steps, each of them costs the others the start of a thread.
    static let calls = Lane("annex-calls", patience: .milliseconds(10))
}

extension CallDesk.Report {
    /// Whether a later report includes everything that this report says.
    fileprivate var isSum: Bool {
        switch self {
        case .denied(let denial, _): denial.answer != .ended
        case .aborted: false
        }
    }
}

/// The event loop that receives the held calls of all sandboxes, and answers calls about which registers decide alone.
/// So no program can make it wait.
enum AnswerLoop {
    private static let one = Mutex<EventLoop?>(nil)

    /// The only such loop of this process, started by the first call. It is never shut down.
    static func shared() throws(SystemError) -> EventLoop {
        try one.withLock { (loop) throws(SystemError) in
            if let loop { return loop }
            let made = try EventLoop(name: "annex-answers")
            loop = made
            return made
        }
    }
}
