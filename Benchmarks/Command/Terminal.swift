import Glibc

/// Colour where a person reads, plain text where a program does. `NO_COLOR` is honoured.
enum Terminal {
    static var isColoured: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

    static func complain(_ text: String) {
        fputs("annex-bench: \(text)\n", stderr)
    }
}
