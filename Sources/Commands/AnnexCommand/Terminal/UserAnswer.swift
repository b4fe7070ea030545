import Glibc

/// Answers that a user types after a question on standard error.
enum UserAnswer {
    /// Whether a user can be asked. The question goes to standard error, and the answer comes from standard input.
    static var canBeGiven: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks, and reads the next line. Keys that were pressed before the question are ignored, because they were not
    /// meant as an answer.
    /// - Returns: nil if the input has ended.
    static func after(_ question: String, on position: PlainTerminal.Position) -> String? {
        let terminal = PlainTerminal()
        terminal.prepare(position)
        StandardError.print(position == .emptyScreen ? terminal.fitted(question) : question)
        tcflush(STDIN_FILENO, TCIFLUSH)
        return readLine()
    }

    /// Whether an answer is a clear yes. Any other answer is a no.
    static func isYes(_ answer: String?) -> Bool {
        let word = (answer ?? "").lowercased()
        return word == "y" || word == "yes"
    }
}
