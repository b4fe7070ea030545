import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// The question after a failed run: whether the program may run again with more options.
///
/// The program may have printed any text before the question, for example a false question. So the question stands alone
/// on the screen and names every option in full. Only keys that are pressed after the question count.
struct RunQuestion {
    enum Answer: Equatable {
        case no
        case once(RunChoice)
        case always(RunChoice)
    }

    let choices: [RunChoice]
    /// Why the program probably failed. The screen is cleared before the question, so the question repeats this line.
    private let cause: String
    /// The project file that can keep the user's answer; nil if no file can.
    let place: String?

    /// - Returns: nil if no option removes the cause, or if a terminal would not show the options as they are.
    init?(_ hint: RunHint, place: String?) {
        choices = hint.choices.filter(\.isPlain)
        guard !choices.isEmpty else { return nil }
        cause = hint.line
        self.place = place
    }

    var text: String {
        let hint = PlainText.isUnmistakable(cause) ? ["annex: hint: \(cause)"] : []
        var lines = hint + ["annex: run it again, with more allowed?"]
        for (number, choice) in numbered {
            lines.append("  \(number)   \(choice.text)")
            lines.append("      \(RunMeaning.of(choice.options))")
        }
        if let place {
            let shown = Escaped(place, limit: 4_096)
            lines.append(
                "  \(choices.indices.map { "\($0 + 1)r" }.joined(separator: ", "))  the same, and remember it in \(shown)"
            )
        }
        return (lines + ["annex: which? (any other answer: none)"]).joined(separator: "\n")
    }

    private var numbered: [(Int, RunChoice)] { choices.enumerated().map { ($0.offset + 1, $0.element) } }

    /// Asks on the terminal.
    func ask() -> Answer { answer(UserAnswer.after(text, on: .emptyScreen)) }

    func answer(_ line: String?) -> Answer {
        let word = (line ?? "").filter { $0 != " " }
        for (number, choice) in numbered {
            if word == "\(number)" { return .once(choice) }
            if word == "\(number)r", place != nil { return .always(choice) }
        }
        return .no
    }
}
