internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

/// Answers the calls that one sandbox's filter refers to the broker: refused or the end, decided from number and
/// registers alone, never from memory that the process can change. No call is ever let through from here.
final class DenialListener: Sendable {
    /// Calls answered in one turn of the loop, so that a flood of refusals delays nobody else.
    static let turn = 16

    private let listener: Descriptor
    private let policy: Policy
    private let ledger = Mutex(DenialLedger())
    private let watch = Mutex<EventLoop.Watch?>(nil)
    private let report: @Sendable (Report) -> Void

    enum Report: Sendable {
        case denied(Denial, total: Int)
        case aborted
    }

    init(
        _ listener: consuming Descriptor, policy: Policy, on loop: EventLoop,
        report: @escaping @Sendable (Report) -> Void
    ) throws(SystemError) {
        self.listener = listener
        self.policy = policy
        self.report = report
        let watch = try loop.watch(self.listener.number) { [weak self] readiness in self?.answer(readiness) }
        self.watch.withLock { $0 = watch }
    }

    deinit {
        watch.withLock { $0.take() }?.cancel()
    }

    /// Every refusal so far; nothing is answered any more.
    func finish() -> [Denial] {
        watch.withLock { $0.take() }?.cancelAndWait()
        return ledger.withLock { $0.denials }
    }

    private func answer(_ readiness: Readiness) {
        guard readiness.contains(.readable) else {
            // Nobody is left who could call.
            watch.withLock { $0.take() }?.cancel()
            return
        }
        // One a turn and ready again at once: receiving blocks when there is nothing, so only epoll may say there is.
        do throws(SystemError) {
            if let call = try HeldCall.receive(from: listener) { judge(call) }
        } catch {
            // A listener that cannot be read refuses nothing and lets nothing pass: the callers wait, killable.
            watch.withLock { $0.take() }?.cancel()
        }
    }

    private func judge(_ call: HeldCall) {
        let verdict = policy.verdict(number: call.number, arguments: call.arguments)
        switch verdict.answer {
        case .aborting:
            report(.aborted)
        case .end:
            // Not answered: the caller waits until it is killed, and never sees an answer to its attack.
            note(call, verdict, .ended)
        case .refuse(let errno, _):
            call.refuse(errno, on: listener)
            note(call, verdict, .refused(errno: errno))
        case .allow:
            // The filter referred what the policy allows: a difference between the two, and no reason to let it pass.
            call.refuse(EPERM, on: listener)
            note(call, verdict, .refused(errno: EPERM))
        }
    }

    private func note(_ call: HeldCall, _ verdict: Verdict, _ answer: Denial.Answer) {
        let denial = Denial(
            call: SystemCall(number: call.number)?.name ?? "call \(call.number)", text: describe(call), answer: answer,
            policyLine: "\(verdict.place)", allowedBy: verdict.remedy, thread: call.thread, count: 1)
        let total = ledger.withLock { ledger in
            ledger.add(denial)
            return ledger.total
        }
        report(.denied(denial, total: total))
    }

    private func describe(_ call: HeldCall) -> String {
        SystemCall.describe(number: call.number, arguments: call.arguments) { call.text(of: $0, on: listener) }
    }
}
