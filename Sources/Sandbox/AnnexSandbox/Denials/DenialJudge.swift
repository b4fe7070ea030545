internal import AnnexPolicy
internal import Glibc

/// Decides what a held call gets: from its number and registers alone, which its process can no longer change.
struct DenialJudge: Sendable {
    enum Decision: Hashable {
        case refuse(errno: Int32)
        /// The kernel does it.
        case proceed
        /// It stays unanswered until its process is killed.
        case end
        /// The process ends itself; the kernel would drop the signal.
        case abort
    }

    let policy: Policy
    let mode: DenialMode
    /// Whether the program has a first process above it, so that a signal to itself does what it should.
    let hasReaper: Bool

    init(policy: Policy, mode: DenialMode, hasReaper: Bool) {
        self.policy = mode.isPermissive ? policy.refusingAloud() : policy
        self.mode = mode
        self.hasReaper = hasReaper
    }

    func decide(_ call: HeldCall, _ verdict: Verdict) -> Decision {
        // Filters end foreign calls; should one come all the same, its number means something else.
        guard call.architecture == policy.architecture.audit else { return .refuse(errno: EPERM) }
        switch verdict.answer {
        case .refuse(let errno, _): return mode.isPermissive ? .proceed : .refuse(errno: errno)
        case .end: return mode.isPermissive ? .proceed : .end
        case .aborting: return hasReaper ? .proceed : .abort
        case .allow:
            // What is allowed is referred to be looked at or to be counted. Anything else that the policy allows and the filter
            // referred is a difference between the two, or an imitation of the launch: no reason to let it pass.
            let isReferred = mode.judgesPaths || verdict.bound != nil
            let isMeant = isReferred && policy.allowsByRule(number: call.number, arguments: call.arguments)
            return isMeant ? .proceed : .refuse(errno: EPERM)
        }
    }

    /// What is told about a refusal; nil for what is none.
    func answer(_ verdict: Verdict, _ decision: Decision) -> Denial.Answer? {
        switch (decision, verdict.answer) {
        case (.refuse(let errno), _): .refused(errno: errno)
        case (.end, _): .ended
        case (.proceed, .refuse(let errno, _)): .passed(errno: errno)
        case (.proceed, .end): .passed(errno: nil)
        case (.proceed, _), (.abort, _): nil
        }
    }
}

extension DenialMode {
    /// What the filter refers to the broker.
    var reports: FilterReports {
        switch self {
        case .enforce: .refusals
        case .explain, .permissive: .paths
        case .learn: .everything
        }
    }
}
