internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexPolicyTools
internal import Glibc
internal import Synchronization

/// Shows untrusted text that may have been escaped already. Text without control characters is shown unchanged. Other
/// text is escaped.
enum PlainText {
    static func shown(_ text: String, limit: Int = 4096) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        return isPlain && text.utf8.count <= limit ? text : Escaped(text, limit: limit).description
    }

    /// Whether text can only be read as one text, even if a terminal breaks it into several lines. After many spaces,
    /// the rest of the text would begin a line, and look like a line of its own.
    static func isUnmistakable(_ text: String) -> Bool {
        shown(text, limit: .max) == text && !text.contains("  ") && text.allSatisfy { $0 == " " || !$0.isWhitespace }
    }

    /// One line of at most `width` characters.
    static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
    }
}

extension JSON {
    /// Untrusted text as a value. Unlike text for a terminal, it is not escaped before JSON escapes it. Its length is
    /// bounded.
    static func bounded(_ text: String, limit: Int = 4096) -> JSON { .text(Escaped(text, limit: limit).plain) }
}

/// Colours the output if it goes to a terminal. Otherwise the output is plain. `NO_COLOR` is respected.
struct Style {
    let isColoured: Bool

    static func forStandardOutput() -> Style {
        Style(isColoured: isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil)
    }

    func bold(_ text: String) -> String { wrap(text, code: "1") }
    func faint(_ text: String) -> String { wrap(text, code: "2") }
    func good(_ text: String) -> String { wrap(text, code: "32") }
    func bad(_ text: String) -> String { wrap(text, code: "31") }

    private func wrap(_ text: String, code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// Prints the reports of the policy tools.
struct ReportPrinter {
    let style: Style

    func show(_ lines: [ReportLine]) {
        for line in lines {
            let text = String(repeating: "  ", count: line.indent) + PlainText.shown(line.text, limit: 65_536)
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

/// Prints errors on stderr, so that stdout holds only results.
package enum StandardError {
    /// SYNC: relaxed, because the thread that sets this value also prints.
    private static let patient = Atomic(true)

    /// Whether `print` waits without limit until standard error can take the line. If not, `print` waits for at most
    /// one second.
    static var isPatient: Bool {
        get { patient.load(ordering: .relaxed) }
        set { patient.store(newValue, ordering: .relaxed) }
    }

    package static func print(_ line: String) {
        // Output of the C library's streams that was printed earlier must appear first.
        fflush(nil)
        var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        if !isPatient && poll(&entry, 1, 1000) == 0 { return }
        let bytes = Array((shown(line) + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// A line may repeat text that the caller or another user typed. So no control character may reach the terminal.
    private static func shown(_ line: String) -> String {
        line.split(separator: "\n", omittingEmptySubsequences: false).map { PlainText.shown(String($0)) }
            .joined(separator: "\n")
    }
}

/// Formats text in columns for a terminal with 100 columns.
enum Columns {
    private static let terminal = 100

    /// A list in columns. The list is read down each column, and then from the column to its right. Entries that are
    /// too wide for a column follow below.
    static func lines(of all: [String], columns: Int, gap: Int = 3) -> [String] {
        let cells = all.filter { $0.count + gap <= terminal / columns }
        let rows = (cells.count + columns - 1) / columns
        let width = (cells.map(\.count).max() ?? 0) + gap
        return (0..<rows).map { row in
            let line = stride(from: row, to: cells.count, by: rows).map { cells[$0].padded(to: width) }
            return line.joined().trimmingSpaces
        } + all.filter { $0.count + gap > terminal / columns }
    }

    /// Wraps words into lines of at most `width` characters. A longer word gets its own line.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension String {
    /// The text with spaces after it, up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }

    /// The text with spaces before it, up to a width.
    func aligned(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - count)) + self
    }

    fileprivate var trimmingSpaces: String {
        String(self.reversed().drop { $0 == " " }.reversed())
    }
}
