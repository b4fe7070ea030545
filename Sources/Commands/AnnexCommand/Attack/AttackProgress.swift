import Glibc

/// Shows the progress of the attacks on a terminal. Prints nothing if the output is no terminal.
enum AttackProgress {
    private static let isTerminal = isatty(STDERR_FILENO) == 1

    static func show(_ number: Int, of count: Int, _ id: String) {
        if isTerminal { write("\r\u{1B}[K\(number)/\(count) \(id)") }
    }

    static func clear() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
