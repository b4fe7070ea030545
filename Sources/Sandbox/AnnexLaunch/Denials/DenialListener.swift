internal import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Answers the calls that one sandbox's filter refers to the broker. Decisions use only the call's number and
/// registers, never memory that the process can change. In mode `enforce` the listener lets no denied call through.
final class DenialListener: Sendable {
    /// The most calls that are answered in one turn of the loop, so that many denials of one sandbox delay no other
    /// sandbox.
    static let turn = 16
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
        /// The program's executable. If it is nil, the sandbox gets no backtraces.
        var program: ProgramFile?
        /// The calls by which the program executes files, if they are watched.
        var executions: ExecutionCalls?
    }

    let scene: Scene
    let decider: DenialDecider
    let listener: Descriptor
    let books: Mutex<DenialRecorder>
    let locks = LockDesk()
    /// The thread on which the broker makes connections for the program.
    let connections = DeskThread(name: "annex-connect")
    /// The thread that looks for the children of tracers.
    let tracers = DeskThread(name: "annex-tracers")
    let objects: Mutex<ObjectBudget?>
    let executions: Mutex<AskedExecutions>
    private let watch = Mutex<EventLoop.Watch?>(nil)
    /// The event loop that answers calls. It is never the loop that serves the channels.
    let answers: EventLoop
    /// Whether the sandbox has a thread of its own for the answers. Judging paths takes time, so a sandbox whose paths or
    /// executions are judged must not delay other sandboxes.
    private let hasOwnThread: Bool
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
        objects = Mutex(scene.isMemoryEnforced ? nil : ObjectBudget(scene.policy.limits))
        executions = Mutex(AskedExecutions(scene.policy))
        hasOwnThread = scene.mode != .enforce || scene.executions != nil
        answers = try hasOwnThread ? EventLoop(name: "annex-denials") : AnswerLoop.shared()
        // If the kernel does not support this setting, the answers take longer but stay the same.
        if hasOwnThread { _ = annex_notification_hurry(self.listener.number) }
        let watch = try answers.watch(self.listener.number) { [weak self] readiness in self?.answer(readiness) }
        self.watch.withLock { $0 = watch }
    }

    deinit {
        watch.withLock { $0.take() }?.cancel()
        stopOwnThread()
    }

    /// Stops answering. The stacks copied so far are walked, and their functions are named. Then `done` is called once
    /// with every denial, on the thread of `PostMortem`. By then all reports have been handed to the loop.
    func finish(_ done: @escaping @Sendable (DenialSummary) -> Void) {
        // This job is queued behind the call that is being examined, so that no denial is lost. If a file system makes
        // that examination hang, this job waits too.
        answers.execute { [self] in
            watch.withLock { $0.take() }?.cancel()
            stopOwnThread()
            PostMortem.shared.end { [self] in done(close()) }
        }
    }

    /// The summary of the denials known now. This summary is used if the report of the sandbox's end cannot wait for
    /// `finish` any longer.
    func soFar() -> DenialSummary {
        // The thread that holds the lock may hang, so this call does not wait for the lock.
        var summary = books.withLockIfAvailable { $0.summary(scene) } ?? DenialSummary()
        summary.missing = summary.missing ?? "the last denied calls were not examined in time"
        return summary
    }

    /// Ends the sandbox's own thread, if it has one, after the current examination.
    private func stopOwnThread() {
        guard hasOwnThread else { return }
        answers.execute { [answers] in answers.shutDown() }
    }

    private func answer(_ readiness: Readiness) {
        guard readiness.contains(.readable) else {
            // All processes that could make a call have ended.
            watch.withLock { $0.take() }?.cancel()
            return
        }
        do throws(SystemError) {
            for _ in 0..<Self.turn {
                if let call = try HeldCall.receive(from: listener) { handle(call) }
                // Receiving blocks if no call is waiting. So the loop receives the next call only if a call waits.
                guard annex_notification_waiting(listener.number) != 0 else { return }
            }
        } catch {
            // If the listener cannot be read, no call is answered. The calling threads wait, and can be killed.
            books.withLock { $0.missing = "\(error)" }
            watch.withLock { $0.take() }?.cancel()
        }
    }

    private func handle(_ call: HeldCall) {
        if passExecution(call) { return }
        let verdict = decider.policy.verdict(number: call.number, arguments: call.arguments)
        let decision = decider.decide(call, verdict: verdict)
        if recordCrash(call, isAbort: verdict.answer == .aborting) { return }
        if scene.mode == .learn {
            record(call, decision: decision)
        } else if let answer = decider.answer(verdict, decision: decision) {
            deny(call, verdict: offering(verdict, for: call), decision: decision, answer: answer)
        } else if decision == .proceed, let bound = verdict.bound, !scene.mode.isPermissive {
            perform(call, within: bound, verdict: verdict)
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

    private func perform(_ call: HeldCall, within bound: CallBound, verdict: Verdict) {
        switch bound {
        case .locks: lock(call, verdict: verdict)
        case .connections: connect(call, verdict: verdict)
        case .objects: make(call, verdict: verdict)
        case .tracing: trace(call, verdict: verdict)
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

    /// Delivers reports on the shared loop in order. No report comes after the final summary.
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

    private func deliverRest() {
        let rest = undelivered.withLock { undelivered in
            defer { undelivered = [] }
            return undelivered
        }
        for news in rest { report(news) }
    }
}

extension DenialListener.Report {
    /// Whether a later report includes everything that this report says.
    fileprivate var isSum: Bool {
        switch self {
        case .denied(let denial, _): denial.answer != .ended
        case .aborted: false
        }
    }
}

/// The event loop that answers the denied calls of all sandboxes in mode `enforce`. The memory of a program may be
/// mapped from a slow file system, and then reading it takes long. Such a read may delay other denied calls, but never
/// a channel.
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
