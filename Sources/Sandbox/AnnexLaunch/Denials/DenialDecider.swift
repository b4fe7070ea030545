internal import AnnexPolicy
internal import Glibc

/// How a sandbox treats the calls and paths that its policy does not allow, and how much it reports.
///
/// The mode is `enforce` unless the launching code asks for another. The sandbox's report names its mode.
public enum DenialMode: String, Sendable, Hashable, CaseIterable {
    /// Calls that the policy denies fail and are reported. Denials by mounts and Landlock are not reported.
    case enforce
    /// Like `enforce`, and denied paths are reported too. Every call that names a path waits for the broker's answer,
    /// so the program runs slower. Both modes deny the same calls and paths.
    case explain
    /// Calls and paths that the policy denies are reported and then performed. Only for trusted programs: nothing
    /// protects the host's files from the program. Its pid and user namespaces and its limits remain.
    case permissive
    /// Every call is performed and recorded, so that a policy can be proposed from it. Only for trusted programs, like
    /// `permissive`.
    case learn

    /// Whether calls that the policy denies are performed all the same.
    public var isPermissive: Bool { self == .permissive || self == .learn }
    /// Whether denied paths are reported.
    public var checksPaths: Bool { self != .enforce }
}

/// Decides the answer to a held call. It uses only the call's number and registers, which its process can no longer
/// change.
struct DenialDecider: Sendable {
    enum Decision: Hashable {
        case deny(errno: Int32)
        /// Let the kernel perform the call.
        case proceed
        /// Leave the call unanswered until its process is killed.
        case end
        /// The program aborts itself. Without a reaper, the kernel would drop the program's signal, so the broker ends
        /// the program.
        case abort
    }

    let policy: Policy
    let mode: DenialMode
    /// Whether the program has a reaper above it, so that a signal to itself takes effect.
    let hasReaper: Bool

    init(policy: Policy, mode: DenialMode, hasReaper: Bool) {
        self.policy = mode.isPermissive ? policy.reportingEachDenial() : policy
        self.mode = mode
        self.hasReaper = hasReaper
    }

    func decide(_ call: HeldCall, verdict: Verdict) -> Decision {
        // The filter kills calls of other architectures. If one arrives all the same, its number has another meaning.
        guard call.architecture == policy.architecture.audit else { return .deny(errno: EPERM) }
        switch verdict.answer {
        case .deny(let errno, _): return mode.isPermissive ? .proceed : .deny(errno: errno)
        case .end: return mode.isPermissive ? .proceed : .end
        case .aborting: return hasReaper ? .proceed : .abort
        case .allow:
            // The filter refers an allowed call to the broker for two purposes only: to examine its paths, or to count
            // its use. If any other allowed call arrives, it is refused. Either the filter differs from the policy, or
            // the program imitates the launch's own `execveat`.
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
