internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

extension DenialListener {
    /// Handles a call that makes or removes an object of System V. The broker lets the call pass, or refuses it if the
    /// objects of its sandbox could take too much memory (`ObjectBudget`).
    func make(_ call: HeldCall, verdict: Verdict) {
        guard isAdmitted(call) else {
            // The kernel gives this errno if a namespace has as many objects as it may have.
            return deny(call, verdict: verdict, decision: .deny(errno: ENOSPC), answer: .denied(errno: ENOSPC))
        }
        settle(call, with: .proceed)
    }

    private func isAdmitted(_ call: HeldCall) -> Bool {
        let processes = scene.policy.limits.processes
        guard let name = SystemCall(number: call.number)?.name,
            let request = ObjectBudget.Request(name, arguments: call.arguments, processes: processes)
        else { return true }
        return objects.withLock { $0?.admits(request) ?? true }
    }
}
