internal import AnnexSandbox
import Glibc

/// The runs of one `annex run`. With `--ask`, the program runs again with each option that the user allows.
struct AskedRuns {
    /// The most questions. A program that fails after so many answers needs more than a few options.
    private static let most = 16

    private let options: RunOptions

    init(_ options: RunOptions) {
        self.options = options
    }

    /// Runs the program, and ends this process as the last run says.
    func runToTheEnd() -> Never {
        let outcome = run()
        outcome.signal?.endThisProcess()
        exit(outcome.status)
    }

    private func run() -> ProgramRun.Outcome {
        defer { Launcher.shutDownShared() }
        let project = ProjectOptions(options, mayAsk: mayAsk)
        var options = options
        project.extend(&options)
        if options.asks, !mayAsk {
            StandardError.print(
                "annex: --ask: standard input and standard error must be a terminal, so nothing is asked")
        }
        var outcome = ProgramRun(options).run()
        for _ in 0..<Self.most where mayAsk {
            guard let choice = allowed(outcome.hint, project: project), options.add(choice.options) else { break }
            outcome = ProgramRun(options).run()
        }
        return outcome
    }

    private var mayAsk: Bool { options.asks && UserAnswer.canBeGiven }

    /// Offers the user the options that would remove the cause of the failure. Returns the options that the user
    /// allows; nil if the user allows none.
    private func allowed(_ hint: RunHint?, project: ProjectOptions) -> RunChoice? {
        guard let hint, let question = RunQuestion(hint, place: project.place) else { return nil }
        switch question.ask() {
        case .no: return nil
        case .once(let choice): return choice
        case .always(let choice):
            project.remember(choice.options)
            return choice
        }
    }
}
