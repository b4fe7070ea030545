import Glibc

/// Brings the terminal of standard error into its usual state before a question.
///
/// A program may have drawn on the screen. It may also have changed how the terminal shows later text, or which bytes
/// its keys send. Either could make a question look like another question.
struct PlainTerminal {
    /// Where the next text stands.
    enum Position {
        /// On the last lines. Earlier text stays above it.
        case nextLines
        /// At the top of an empty screen. Earlier text moves into the scrollback.
        case emptyScreen
    }

    private let rows: Int
    private let columns: Int
    /// Whether the terminal understands no control sequences, as in a shell inside Emacs.
    private let isDumb: Bool

    init() {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
        rows = isKnown ? Int(size.ws_row) : 0
        columns = isKnown ? Int(size.ws_col) : 0
        isDumb = getenv("TERM").map { String(cString: $0) } == "dumb"
    }

    /// Resets the terminal, and makes room for the next text.
    func prepare(_ position: Position) {
        fflush(nil)
        let text = isDumb ? "\r\n" : Self.usual + room(position)
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// A terminal without a known size gets as many lines as the largest usual window has.
    private func room(_ position: Position) -> String {
        let last = "\u{1B}[9999;1H"
        guard position == .emptyScreen else { return last + "\n\u{1B}[J" }
        let count = rows > 0 ? min(rows, 1_000) : 200
        return last + String(repeating: "\n", count: count) + "\u{1B}[H\u{1B}[J"
    }

    /// The text, with a note in front of its last line if the screen does not show all of the text at once.
    func fitted(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard rows > 0, columns > 0, let last = lines.last else { return text }
        // A character that is not ASCII may take two columns.
        let needed = lines.map { line in
            let width = line.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
            return max(1, (width + columns - 1) / columns)
        }
        guard needed.reduce(1, +) > rows else { return text }
        let note = "annex: this question is longer than the screen: scroll up to its first line."
        return (lines.dropLast().map(String.init) + [note, String(last)]).joined(separator: "\n")
    }

    /// The sequences that undo what programs can change, in this order: unfinished sequences, other kinds of terminal,
    /// modes of the screen, colours and pictures, modes of the keys.
    private static let usual = (unfinished + kinds + screen + looks + keys).joined()

    /// The first byte and ST end a sequence or a string that the program began.
    private static let unfinished = ["\u{18}", "\u{1B}\\"]

    private static let kinds = [
        "\u{1B}<",  // from the mode of a VT52
        "\u{1B}\u{03}",  // from the mode of a Tektronix terminal
        "\u{1B}%G",  // UTF-8
        "\u{1B} F",  // replies of seven bits
        "\u{1B}[4i", "\u{1B}[?4i",  // no output to a printer
        "\u{1B}[0$}", "\u{1B}[0$~",  // no text into the status line
    ]

    private static let screen = [
        "\u{1B}[?1049l", "\u{1B}[?1047l", "\u{1B}[?47l",  // from the alternate screens
        "\u{1B}[?2026l",  // no waiting for further output
        // A soft reset. On some terminals it switches wrapping off, so wrapping is switched on after it.
        "\u{1B}[!p", "\u{1B}[?7h", "\u{1B}[?45l",
        "\u{1B}[4l", "\u{1B}[20l",  // no inserting, and no carriage return with each line feed
        "\u{1B}[?6l", "\u{1B}[?69l", "\u{1B}[r",  // the whole screen, without margins
        "\u{1B}(B", "\u{1B})B", "\u{1B}*B", "\u{1B}+B", "\u{0F}", "\u{1B}[?42l",  // ASCII in each character set
        "\u{1B}[0\"q", "\u{1B}W",  // no guarded areas
        "\u{1B}[?25h", "\u{1B}[?5l",  // a cursor, and no exchange of the colours
        "\u{1B}[8h", "\u{1B}[ k", "\u{1B}[?2501l", "\u{1B}[?34l",  // from left to right
    ]

    private static let looks = [
        "\u{1B}[37;40m", "\u{1B}[8]",  // the usual colours of Linux's own console
        "\u{1B}[0m",
        "\u{1B}]R\u{1B}\\", "\u{1B}]104\u{1B}\\", "\u{1B}]105\u{1B}\\",  // the palette
        "\u{1B}]110\u{1B}\\", "\u{1B}]111\u{1B}\\", "\u{1B}]112\u{1B}\\", "\u{1B}]117\u{1B}\\", "\u{1B}]119\u{1B}\\",
        "\u{1B}]8;;\u{1B}\\",  // no link
        "\u{1B}_Ga=d,d=A\u{1B}\\",  // no pictures
        // The title of the window. It comes after the pictures, because tmux takes their command for a title.
        "\u{1B}]2;annex\u{1B}\\",
    ]

    private static let keys = [
        "\u{1B}[2l", "\u{1B}[12h",  // an unlocked keyboard, without an echo of the terminal's own
        "\u{1B}[?1l", "\u{1B}>", "\u{1B}[?66l",  // usual arrow keys and number keys
        "\u{1B}[=0;1u", "\u{1B}[>4m",  // usual codes of keys
        "\u{1B}[?2004l", "\u{1B}[?1004l", "\u{1B}[?2031l", "\u{1B}[?2048l",  // no marks around pasted text, no reports
        "\u{1B}[?9l", "\u{1B}[?1000l", "\u{1B}[?1001l", "\u{1B}[?1002l", "\u{1B}[?1003l",  // no mouse
        "\u{1B}[?1005l", "\u{1B}[?1006l", "\u{1B}[?1015l", "\u{1B}[?1016l",
        "\u{1B}P0;1|\u{1B}\\",  // no keys that type a text of the program
    ]
}
