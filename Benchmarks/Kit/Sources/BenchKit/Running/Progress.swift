internal import Glibc

/// Shows the progress to the user. On a terminal, the progress is one line that changes. Otherwise only errors are
/// printed.
public struct Progress: Sendable {
    private let isTerminal: Bool

    public init() {
        isTerminal = isatty(STDERR_FILENO) == 1
    }

    func show(_ text: String) {
        if isTerminal { put("\r\u{1B}[K\(text)") }
    }

    /// Prints a line that is not overwritten.
    public func note(_ text: String) {
        put(isTerminal ? "\r\u{1B}[K\(text)\n" : "\(text)\n")
    }

    public func end() {
        if isTerminal { put("\r\u{1B}[K") }
    }

    private func put(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
