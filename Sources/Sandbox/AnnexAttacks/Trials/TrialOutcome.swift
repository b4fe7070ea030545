package import AnnexSandbox

/// What came of one trial.
package struct TrialOutcome: Sendable {
    package let answers: TrialAnswers
    /// Whether nobody is left who could tell more: every end of its pipe is closed.
    package let isComplete: Bool
    package let end: SandboxEnd
    /// Nil where its code never ran.
    package let report: SandboxReport?
    /// Whether it was killed because it was not done in time.
    package let isOverdue: Bool
    /// From the end to the moment when nobody was left who could tell more, where that was waited for.
    package let silence: Duration
    /// What the kernel held for it, where that was measured.
    package internal(set) var measured: Measured?

    /// The refusal that ended it, where one did.
    package var ending: Denial? { end.denials.first { $0.answer == .ended } }

    /// How it ended, for a reader who wonders why nothing was told.
    var fate: String {
        if isOverdue { return ": killed, not done in time" }
        if let ending { return ": ended for \(ending.text)" }
        return end.process.map { ": \($0)" } ?? ": the warden was lost"
    }
}
