import AnnexLinux
import AnnexPolicy
import Glibc

/// Untrusted text that may have been escaped already. It is kept if it is harmless, else escaped.
enum PlainText {
    static func shown(_ text: String, limit: Int = 4096) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        return isPlain && text.utf8.count <= limit ? text : Escaped(text, limit: limit).description
    }

    /// One line of at most `width` characters.
    static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
    }
}

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

/// Prints the findings of the tools for policies.
struct ReportPrinter {
    let style: Style

    func show(_ lines: [ReportLine]) {
        for line in lines {
            let text = String(repeating: "  ", count: line.indent) + line.text
            switch line.tone {
            case .plain: print(text)
            case .heading: print(style.bold(text))
            case .good: print(style.good("✓ ") + text)
            case .bad: print(style.bad("✗ ") + text)
            case .faint: print(style.faint(text))
            }
        }
    }
}
