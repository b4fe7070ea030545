internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension DenialListener {
    /// How long the broker waits before it tries again to take the lock for a call.
    private static let again = Duration.milliseconds(20)

    /// Handles a call that takes a lock. The broker allows the call if its sandbox holds few locks (`LockBudget`).
    func lock(_ call: HeldCall, verdict: Verdict) {
        guard SystemCall(number: call.number)?.name == "flock" else { return lockRange(call, verdict: verdict) }
        // For a shared lock or a release, the broker does not check whether the program may write the file. Other
        // limits bound the number of shared locks.
        guard WholeFileLock.isAsked(by: call) else { return settle(call, with: .proceed) }
        lockLater(call, verdict: verdict) { $0.lockWhole(call, verdict: verdict) }
    }

    private func lockRange(_ call: HeldCall, verdict: Verdict) {
        guard case .count(let moment) = locks.step() else { return settle(call, with: .proceed) }
        lockLater(call, verdict: verdict, at: moment) { $0.lockCounted(call, verdict: verdict) }
    }

    private func lockCounted(_ call: HeldCall, verdict: Verdict) {
        switch locks.settle(besides: call.thread) {
        case .pass: settle(call, with: .proceed)
        case .deny: denyLock(call, verdict: verdict, errno: ENOLCK)
        case .wait(let moment): lockLater(call, verdict: verdict, at: moment) { $0.lockCounted(call, verdict: verdict) }
        }
    }

    private func lockWhole(_ call: HeldCall, verdict: Verdict) {
        switch WholeFileLock.acquire(call, on: listener) {
        case .acquired: call.complete(on: listener)
        case .denied(ENOLCK): denyLock(call, verdict: verdict, errno: ENOLCK)
        case .denied(let errno): settle(call, with: .deny(errno: errno))
        case .busy:
            guard call.isHeld(on: listener) else { return }
            lockLater(call, verdict: verdict, at: MonotonicClock.deadline(after: Self.again)) {
                $0.lockWhole(call, verdict: verdict)
            }
        }
    }

    private func lockLater(
        _ call: HeldCall, verdict: Verdict, at moment: UInt64 = 0,
        _ job: @escaping @Sendable (DenialListener) -> Void
    ) {
        let isTaken = locks.perform(at: moment) { [weak self] in
            if let self { job(self) }
        }
        if !isTaken { denyLock(call, verdict: verdict, errno: ENOLCK) }
    }

    /// Reports the refused lock on the event loop that reports all denials.
    private func denyLock(_ call: HeldCall, verdict: Verdict, errno: Int32) {
        answers.execute { [weak self] in
            self?.deny(call, verdict: verdict, decision: .deny(errno: errno), answer: .denied(errno: errno))
        }
    }
}
