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

/// What an option of `annex run` gives to the program.
enum RunMeaning {
    /// Files that usually hold keys or passwords.
    private static let secrets: Set<String> = [
        ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", ".git-credentials", ".pgpass", ".mozilla",
        ".password-store", ".my.cnf", ".npmrc", ".pypirc", "gcloud", "gh", "google-chrome", "chromium", "keyrings",
        "shadow",
    ]

    /// - Parameter options: names, each followed by its value.
    static func of(_ options: [String]) -> String {
        let pairs = stride(from: 0, to: options.count - 1, by: 2).map { (options[$0], options[$0 + 1]) }
        return pairs.map { meaning(of: $0.0, value: $0.1) }.joined(separator: " ")
    }

    private static func meaning(of name: String, value: String) -> String {
        switch name {
        case "--read": "The program can then read everything there.\(warning(value))"
        case "--write": "The program can then read, change and delete everything there.\(warning(value))"
        case "--execute": "The program can then read everything there, and run it.\(warning(value))"
        case "--write-execute": "The program can then change everything there, and run what it wrote.\(warning(value))"
        case "--allow":
            (try? PolicyFragment.shipped(value))?.means ?? "This version of Annex does not say what that means."
        case "--allow-line": "The kernel then performs these calls for the program."
        default: "The program can then use more of this machine."
        }
    }

    private static func warning(_ path: String) -> String {
        // The program may have chosen an absolute path. So it is looked up as any path that a program names.
        let real =
            path.hasPrefix("/")
            ? HostLookup { _ in false }.trail(path).last ?? path : GivenPaths.resolved(path) ?? path
        guard PathText.parts(real).contains(where: { secrets.contains(String($0)) }) else { return "" }
        return " Such files usually hold keys or passwords."
    }
}
