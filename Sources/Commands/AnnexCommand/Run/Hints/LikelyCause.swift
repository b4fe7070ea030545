import AnnexLaunch
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// The most likely reason why a program failed in the sandbox, as one line with its remedy.
///
/// The error that the program itself stated takes precedence over denials. Only a denial that ended the program takes
/// precedence over that error. Most denied calls are probes whose result the program does not need.
enum LikelyCause {
    /// Signals that come from outside the program, and the signal for output without a reader. A denial does not cause
    /// these signals.
    private static let foreign: Set<Int32> = [
        SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2,
    ]

    /// Calls that programs and their libraries try, but do not need.
    private static let probes: Set<String> = [
        "prctl", "prlimit64", "setrlimit", "personality", "setpriority", "ioprio_set", "sched_setscheduler",
        "sched_setparam", "sched_setattr", "mlockall", "capset", "seccomp", "sync_file_range",
    ]

    /// Sockets that read network interfaces or ask a name server. Most programs open them without needing them.
    private static let probedSockets = ["AF_NETLINK", "SOCK_DGRAM"]

    /// - Parameter isAboutOwner: whether another hint has named a place that the program may not use because of the
    ///   place's owner.
    /// - Returns: nil if neither the program's errors nor the denials explain the failure.
    static func of(
        _ report: SandboxRunReport, denials: [Denial], policy: Policy, errors: StatedErrors, given: GivenPaths,
        isAboutOwner: Bool
    ) -> RunHint? {
        if let signal = report.signal, foreign.contains(signal) {
            return [SIGINT, SIGTERM].contains(signal) ? waiting(for: denials, policy: policy) : nil
        }
        let likely = denials.filter { RunRemedy.of($0) != nil && !$0.isQuiet && !isOnlySeen($0) }
        if let ended = likely.last(where: { $0.answer == .ended }) { return hint(ended) }
        let paths = PathHint(policy: policy, given: given, isAboutOwner: isAboutOwner)
        if let hint = paths.hint(for: errors) { return hint }
        let quiet = denials.filter(\.isQuiet)
        if let denial = matching(errors, among: likely) ?? matching(errors, among: quiet) { return hint(denial) }
        // Without `--explain`, the list of denials lacks the denials that the policy does not report. So the program's
        // texts are examined too.
        let known = KnownErrors(errors: errors, policy: policy, given: given)
        return known.hint(denials) ?? last(of: likely).map(hint)
            ?? likely.last { isStated($0, in: errors) && probes.contains($0.call) }.map(hint)
            ?? (policy.network == .none ? nil : last(of: quiet, reportedBy: policy)).map(hint)
    }

    private static func hint(_ denial: Denial) -> RunHint {
        RunHint(line: RunHints.line(denial), choices: RunRemedy.of(denial)?.choices ?? [])
    }

    /// The denial of a call that failed with an errno that the program stated. The error that was stated last has
    /// precedence.
    private static func matching(_ errors: StatedErrors, among denials: [Denial]) -> Denial? {
        for stated in errors.lines where stated.errno != 0 {
            let found = denials.filter { !isProbe($0) && $0.answer == .denied(errno: stated.errno) }
            if let denial = found.last(where: { stated.text.contains($0.call) }) ?? found.last { return denial }
        }
        return nil
    }

    private static func isStated(_ denial: Denial, in errors: StatedErrors) -> Bool {
        if case .denied(let errno) = denial.answer { errors.states(errno) } else { false }
    }

    /// The hint if a program made no progress until the user or a limit ended it.
    static func waiting(for denials: [Denial], policy: Policy) -> RunHint? {
        let failed = denials.last { $0.subject == .call && !$0.isQuiet && RunRemedy.of($0) != nil }
        return (failed ?? last(of: denials.filter(\.isQuiet), reportedBy: policy)).map(hint).map { hint in
            RunHint(line: "if the program waited for ever, this call had failed: \(hint.line)", choices: hint.choices)
        }
    }

    /// The last of these denials for whose call the policy states `report: on`. Programs usually work without such a
    /// call, but not always: a server without `sendfile` only closes its connections.
    private static func last(of quiet: [Denial], reportedBy policy: Policy) -> Denial? {
        quiet.last { denial in SystemCall(named: denial.call).map(policy.reportsDenial) ?? false }
    }

    private static func last(of denials: [Denial]) -> Denial? {
        let likely = denials.filter { !isProbe($0) }
        return likely.last(where: isOfPath) ?? likely.last
    }

    /// Whether a denial is about a path that the sandbox lacks, and not about a missing right. Programs look for many
    /// files that they do not need.
    private static func isOnlySeen(_ denial: Denial) -> Bool {
        if case .path(let path) = denial.subject { path.missing.isEmpty } else { false }
    }

    private static func isProbe(_ denial: Denial) -> Bool {
        if denial.call == "socket" { return probedSockets.contains { denial.text.contains($0) } }
        return probes.contains(denial.call)
    }

    private static func isOfPath(_ denial: Denial) -> Bool {
        if case .path = denial.subject { true } else { false }
    }
}
