internal import Glibc

/// Colours the output on a terminal, and leaves it plain elsewhere. `NO_COLOR` is honoured.
struct Style {
    let isColoured: Bool

    static func forStandardOutput() -> Style {
        Style(isColoured: isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil)
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func faint(_ text: String) -> String { wrap(text, "2") }
    func good(_ text: String) -> String { wrap(text, "32") }
    func bad(_ text: String) -> String { wrap(text, "31") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
