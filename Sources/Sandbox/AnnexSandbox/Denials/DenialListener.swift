internal import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Answers the calls that one sandbox's filter refers to the broker: decided from number and registers alone, never
/// from memory that the process can change. In `enforce` no call is ever let through from here.
final class DenialListener: Sendable {
    /// Calls answered in one turn of the loop, so that a flood of refusals delays nobody else.
    static let turn = 16
    /// Kinds of refused calls whose callers' stacks are looked at.
    static let backtraces = 16

    enum Report: Sendable {
        case denied(Denial, total: Int)
        case aborted
    }

    /// What one sandbox's refusals are judged by.
    struct Scene: Sendable {
        var policy: Policy
        var mode = DenialMode.enforce
        var hasReaper = false
        /// The sandbox's name in the log.
        var name = ""
        var isLogged = true
        /// Where the bundle is, for a program without a root of its own.
        var bundle: String?
        /// Nil: no functions are named.
        var program: ProgramFile?
    }

    let scene: Scene
    let judge: DenialJudge
    let listener: Descriptor
    let books: Mutex<DenialRecorder>
    let locks = LockDesk()
    private let watch = Mutex<EventLoop.Watch?>(nil)
    /// Where calls are answered: never on the loop that serves every channel.
    let answers: EventLoop
    /// Looking at paths takes time, of which one sandbox may not rob the others: those that do have a thread of their own.
    private let hasOwnThread: Bool
    /// Where reports are told.
    private let loop: EventLoop
    private let report: @Sendable (Report) -> Void
    /// News that the loop has not told yet.
    private let untold = Mutex<[Report]>([])
    /// So many are kept one by one; what comes while the loop is later than that is told as a sum.
    static let mostUntold = 1_024

    init(
        _ listener: consuming Descriptor, _ scene: Scene, on loop: EventLoop,
        report: @escaping @Sendable (Report) -> Void
    ) throws(SystemError) {
        self.listener = listener
        self.scene = scene
        self.loop = loop
        self.report = report
        judge = DenialJudge(policy: scene.policy, mode: scene.mode, hasReaper: scene.hasReaper)
        books = Mutex(DenialRecorder(scene))
        hasOwnThread = scene.mode != .enforce
        answers = try hasOwnThread ? EventLoop(name: "annex-denials") : AnswerLoop.shared()
        // Where the kernel cannot, answers take longer and are the same.
        if hasOwnThread { _ = annex_notification_hurry(self.listener.number) }
        let watch = try answers.watch(self.listener.number) { [weak self] readiness in self?.answer(readiness) }
        self.watch.withLock { $0 = watch }
    }

    deinit {
        watch.withLock { $0.take() }?.cancel()
        stopOwnThread()
    }

    /// Nothing is answered any more. Stacks that were taken are walked and functions named; then `done` is called with
    /// every refusal, once, on the thread of `PostMortem`. All of them have then been handed to the loop.
    func finish(_ done: @escaping @Sendable (DenialSummary) -> Void) {
        // Behind the call that is looked at now: no refusal is lost. On a file system that hangs, that is as long as it
        // hangs.
        answers.execute { [self] in
            watch.withLock { $0.take() }?.cancel()
            stopOwnThread()
            PostMortem.shared.end { [self] in done(close()) }
        }
    }

    /// What is known now, for an end that can wait no longer.
    func soFar() -> DenialSummary {
        // Whoever has the books may hang with them.
        var summary = books.withLockIfAvailable { $0.summary(scene) } ?? DenialSummary()
        summary.lack = summary.lack ?? "what it was refused last could not be looked at in time"
        return summary
    }

    /// The thread ends itself, after the look that has begun.
    private func stopOwnThread() {
        guard hasOwnThread else { return }
        answers.execute { [answers] in answers.shutDown() }
    }

    private func answer(_ readiness: Readiness) {
        guard readiness.contains(.readable) else {
            // Nobody is left who could call.
            watch.withLock { $0.take() }?.cancel()
            return
        }
        do throws(SystemError) {
            for _ in 0..<Self.turn {
                if let call = try HeldCall.receive(from: listener) { judge(call) }
                // Receiving waits when there is nothing: only a look beforehand may say that there is.
                guard annex_notification_waiting(listener.number) != 0 else { return }
            }
        } catch {
            // A listener that cannot be read refuses nothing and lets nothing pass: the callers wait, killable.
            books.withLock { $0.lack = "\(error)" }
            watch.withLock { $0.take() }?.cancel()
        }
    }

    private func judge(_ call: HeldCall) {
        let verdict = judge.policy.verdict(number: call.number, arguments: call.arguments)
        let decision = judge.decide(call, verdict)
        if noteCrash(call, isAbort: verdict.answer == .aborting) { return }
        if scene.mode == .learn {
            record(call, decision)
        } else if let answer = judge.answer(verdict, decision) {
            refuse(call, verdict, decision, answer)
        } else if decision == .proceed, verdict.bound != nil, !scene.mode.isPermissive {
            lock(call, verdict)
        } else if decision == .proceed {
            explain(call)
        }
        if decision == .abort { tell(.aborted) }
    }

    /// Answers; an end is not answered: the caller waits until it is killed, and never sees an answer to its attack.
    func settle(_ call: HeldCall, _ decision: DenialJudge.Decision) {
        switch decision {
        case .refuse(let errno): call.refuse(errno, on: listener)
        case .proceed: call.proceed(on: listener)
        case .end, .abort: break
        }
    }

    /// On the loop of everyone, in order, and never after the last word.
    func tell(_ news: Report) {
        let isFirst = untold.withLock { untold in
            if untold.count >= Self.mostUntold, news.isSum, untold[untold.count - 1].isSum { untold.removeLast() }
            untold.append(news)
            return untold.count == 1
        }
        if isFirst { loop.execute { [self] in tellRest() } }
    }

    private func tellRest() {
        let rest = untold.withLock { untold in
            defer { untold = [] }
            return untold
        }
        for news in rest { report(news) }
    }
}

extension DenialListener.Report {
    /// Whether one that comes after it says all that it says.
    fileprivate var isSum: Bool {
        switch self {
        case .denied(let denial, _): denial.answer != .ended
        case .aborted: false
        }
    }
}
