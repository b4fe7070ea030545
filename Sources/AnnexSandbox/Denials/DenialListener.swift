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
    let books: Mutex<DenialBooks>
    let locks = LockDesk()
    private let watch = Mutex<EventLoop.Watch?>(nil)
    /// Looking at paths takes time, of which one sandbox may not rob the others: those that do have a thread of their own.
    private let own: EventLoop?
    private let loop: EventLoop
    /// Where its calls are answered.
    var home: EventLoop { own ?? loop }
    private let report: @Sendable (Report) -> Void
    /// News of the own thread that the loop has not told yet.
    private let untold = Mutex<[Report]>([])

    init(
        _ listener: consuming Descriptor, _ scene: Scene, on loop: EventLoop,
        report: @escaping @Sendable (Report) -> Void
    ) throws(SystemError) {
        self.listener = listener
        self.scene = scene
        self.loop = loop
        self.report = report
        judge = DenialJudge(policy: scene.policy, mode: scene.mode, hasReaper: scene.hasReaper)
        books = Mutex(DenialBooks(scene))
        own = scene.mode == .enforce ? nil : try EventLoop(name: "annex-denials")
        // Where the kernel cannot, answers take longer and are the same.
        if own != nil { _ = annex_notification_hurry(self.listener.number) }
        let watch = try home.watch(self.listener.number) { [weak self] readiness in self?.answer(readiness) }
        self.watch.withLock { $0 = watch }
    }

    deinit {
        watch.withLock { $0.take() }?.cancel()
        stopOwn()
    }

    /// Every refusal so far; all of them have been told, and nothing is answered any more. On the loop's thread.
    func finish() -> DenialSummary {
        watch.withLock { $0.take() }?.cancelAndWait()
        tellRest()
        stopOwn()
        return books.withLock { $0.close(scene) }
    }

    /// The thread ends itself. A look at a path that has begun is waited for before: on a file system that hangs, that
    /// is as long as it hangs.
    private func stopOwn() {
        guard let own else { return }
        own.execute { own.shutDown() }
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
        guard own != nil else { return report(news) }
        let isFirst = untold.withLock { untold in
            untold.append(news)
            return untold.count == 1
        }
        if isFirst { loop.execute { [weak self] in self?.tellRest() } }
    }

    private func tellRest() {
        let rest = untold.withLock { untold in
            defer { untold = [] }
            return untold
        }
        for news in rest { report(news) }
    }
}
