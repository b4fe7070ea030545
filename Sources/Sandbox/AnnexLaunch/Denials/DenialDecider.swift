internal import AnnexPolicy
internal import Glibc

/// How a sandbox treats the calls and paths that its policy does not allow, and how much it reports.
///
/// The mode is `enforce` unless the launching code asks for another mode. The sandbox's report names its mode.
public enum DenialMode: String, Sendable, Hashable, CaseIterable {
    /// Calls that the policy denies fail and are reported. If mounts or Landlock deny a path, that is not reported, with
    /// one exception: a file of the caller that the program wanted to execute.
    case enforce
    /// Like `enforce`, but two more kinds of denials are reported: denied paths, and calls that `enforce` denies
    /// without a report. Every call that names a path waits for the broker's answer, so the program runs slower.
    /// `enforce` and `explain` deny the same calls and paths.
    case explain
    /// Calls and paths that the policy denies are reported and then performed. This mode is only for trusted programs:
    /// nothing protects the host's files from the program. The program still has its own pid and user namespaces and
    /// its limits.
    case permissive
    /// Every call is performed and recorded, so that a policy can be proposed from the record. Like `permissive`, this
    /// mode is only for trusted programs.
    case learn

    /// Whether calls that the policy denies are performed nevertheless.
    public var isPermissive: Bool { self == .permissive || self == .learn }
    /// Whether denied paths are reported.
    public var checksPaths: Bool { self != .enforce }
}

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
