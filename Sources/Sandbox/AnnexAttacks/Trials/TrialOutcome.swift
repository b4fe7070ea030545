package import AnnexLaunch

/// The outcome of one trial.
package struct TrialOutcome: Sendable {
    package let answers: TrialAnswers
    /// Whether no process can send further answers, because every writing end of the pipe is closed.
    package let isComplete: Bool
    package let end: SandboxEnd
    /// The launch report; nil if the program's code never ran.
    package let report: SandboxReport?
    /// Whether the program was killed because it exceeded its time limit.
    package let isOverdue: Bool
    /// How long after the program's end another process could still send answers. The time has a meaning only if the
    /// trial waited for such answers.
    package let silence: Duration
    /// The kernel's counts for the program; nil if they were not measured.
    package internal(set) var measured: Measured?

    /// The denial that ended the program; nil if no denial ended it.
    package var ending: Denial? { end.denials.first { $0.answer == .ended } }

    /// How the program ended. The text is appended to a message about missing answers.
    var fate: String {
        if isOverdue { return ": killed, not done in time" }
        if let ending { return ": ended for \(ending.text)" }
        return end.process.map { ": \($0)" } ?? ": the warden was lost"
    }
}
