import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// The messages after a run that failed.
enum RunHints {
    /// The most denials that are printed.
    private static let most = 40

    /// Prints every kind of call and path that was denied.
    static func explain(_ denials: [Denial]) {
        let kinds = merged(denials)
        for denial in kinds.prefix(most) { StandardError.print("annex: " + line(denial)) }
        if kinds.count > most {
            StandardError.print("annex: the report has \(kinds.count - most) more kinds of denials")
        }
    }

    /// Merges denials of the same call into one denial, if the same option allows them all. Such denials usually
    /// differ only in an address.
    static func merged(_ denials: [Denial]) -> [Denial] {
        // Two names that are equal by Unicode can be two files. So kinds are told apart by bytes.
        var order: [[UInt8]] = []
        var kinds: [[UInt8]: Denial] = [:]
        for denial in denials {
            let remedy = RunRemedy.of(denial)?.text ?? denial.text
            let key: [UInt8]
            if case .path(let path) = denial.subject {
                key = Array("\(path.shown) \(denial.headline)".utf8)
            } else {
                key = Array("\(denial.call) \(remedy)".utf8)
            }
            if kinds[key] == nil { order.append(key) }
            let before = kinds[key]?.count ?? 0
            kinds[key] = (kinds[key] ?? denial).counted(before + denial.count)
        }
        return order.compactMap { kinds[$0] }
    }

    static func line(_ denial: Denial) -> String {
        let often = denial.count > 1 ? " (\(denial.count) times)" : ""
        let usual = denial.isQuiet ? "; programs usually do without it" : ""
        return denial.headline + often + usual + (RunRemedy.of(denial).map { "; \($0.text)" } ?? "")
    }

    /// The line that is printed last. It names the cause of the failure and the option that removes the cause.
    /// - Returns: nil if no limit, path or denial explains the failure.
    static func hint(
        _ report: SandboxRunReport, denials: [Denial], policy: Policy, errors: StatedErrors, given: GivenPaths,
        explained: Bool, isAboutOwner: Bool
    ) -> RunHint? {
        guard report.reason != .launchFailed, report.exitCode != 0 else { return nil }
        if report.signal == SIGSYS { return foreignCall(isSure: report.reason == .deniedOperation) }
        let known = report.reason == .deniedOperation ? nil : KnownPrograms(errors: errors, policy: policy).hint
        if let known, MetLimit.ended(report.reason) == nil { return known }
        let limit = MetLimit(report, denials: denials, policy: policy, errors: errors, known: known)
        if let limit { return limit.hint }
        let cause = LikelyCause.of(
            report, denials: denials, policy: policy, errors: errors, given: given, isAboutOwner: isAboutOwner)
        guard var hint = cause else { return nil }
        if !explained { hint.line += "; to see every denied call and path, add --explain" }
        return hint
    }

    /// The hint if the kernel ended the program at a call of a foreign ABI.
    /// - Parameter isSure: false if the program may have sent this signal to itself.
    private static func foreignCall(isSure: Bool) -> RunHint {
        RunHint(
            line: "it \(isSure ? "made" : "probably made") a system call of a 32-bit program: such programs do not run "
                + "in a sandbox, and no option changes that")
    }
}
