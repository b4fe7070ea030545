import AnnexLinux
import AnnexSandbox

/// What is said after a run that went wrong.
enum RunHints {
    /// How many refusals are shown by themselves.
    private static let most = 40

    /// Every kind of call and path that was refused.
    static func explain(_ refusals: [Denial]) {
        for refusal in refusals.prefix(most) { StandardError.print("annex: " + line(refusal)) }
        if refusals.count > most {
            StandardError.print("annex: \(refusals.count - most) kinds of refusals more are in the report")
        }
    }

    private static func line(_ refusal: Denial) -> String {
        let often = refusal.count > 1 ? " (\(refusal.count) times)" : ""
        return refusal.headline + often + (refusal.mend.map { "; allowed by: \($0)" } ?? "")
    }

    /// The last line: what would allow what was refused, where that is known, and how to see more.
    static func hint(_ report: SandboxRunReport, _ refusals: [Denial], explained: Bool) {
        guard report.reason != .launchFailed, report.exitCode != 0 else { return }
        let more = explained ? "" : "; see every refusal, also of paths, with --explain"
        if let cause = refusals.last(where: { $0.mend != nil }) {
            StandardError.print("annex: hint: \(line(cause))\(more)")
        } else if !explained {
            StandardError.print("annex: hint: see what was refused, also paths, with --explain")
        }
    }
}
