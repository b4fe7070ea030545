internal import AnnexPolicy
internal import Glibc

/// Decides the answer to a held call. The decision uses only the call's number and registers, which the calling process
/// can no longer change.
struct DenialDecider: Sendable {
    enum Decision: Hashable {
        case deny(errno: Int32)
        /// Let the kernel perform the call.
        case proceed
        /// Leave the call unanswered until its process is killed.
        case end
        /// The program aborts itself by a signal. Without a reaper, the kernel would drop this signal, so the broker
        /// ends the program.
        case abort
    }

    let policy: Policy
    let mode: DenialMode
    /// Whether a reaper is the parent of the program, so that a signal of the program to itself takes effect.
    let hasReaper: Bool

    init(policy: Policy, mode: DenialMode, hasReaper: Bool) {
        self.policy = mode.checksPaths ? policy.reportingEachDenial() : policy
        self.mode = mode
        self.hasReaper = hasReaper
    }

    func decide(_ call: HeldCall, verdict: Verdict) -> Decision {
        // The filter kills calls of other architectures. If such a call arrives nevertheless, its number has another
        // meaning, so the call is refused.
        guard call.architecture == policy.architecture.audit else { return .deny(errno: EPERM) }
        switch verdict.answer {
        case .deny(let errno, _): return mode.isPermissive ? .proceed : .deny(errno: errno)
        case .end: return mode.isPermissive ? .proceed : .end
        case .aborting: return hasReaper ? .proceed : .abort
        case .allow:
            // The filter refers an allowed call to the broker for two purposes only: to examine its paths, or to count
            // its use. The broker refuses any other allowed call that arrives. In that case, either the filter differs
            // from the policy, or the program imitates the launch's own `execveat`.
            let isReferred = mode.checksPaths || verdict.bound != nil
            let isMeant = isReferred && policy.allowsByRule(number: call.number, arguments: call.arguments)
            return isMeant ? .proceed : .deny(errno: EPERM)
        }
    }

    /// The answer to report for a denial; nil if the call was not denied.
    func answer(_ verdict: Verdict, decision: Decision) -> Denial.Answer? {
        switch (decision, verdict.answer) {
        case (.deny(let errno), _): .denied(errno: errno)
        case (.end, _): .ended
        case (.proceed, .deny(let errno, _)): .passed(errno: errno)
        case (.proceed, .end): .passed(errno: nil)
        case (.proceed, _), (.abort, _): nil
        }
    }
}

extension DenialMode {
    /// The calls that the filter refers to the broker.
    var reports: FilterReports {
        switch self {
        case .enforce: .denials
        case .explain, .permissive: .paths
        case .learn: .everything
        }
    }
}
