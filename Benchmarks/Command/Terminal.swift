import Glibc

/// Whether output is coloured: yes for a terminal, no for a program that reads the output. `NO_COLOR` is honoured.
enum Terminal {
    static var isColoured: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

    static func complain(_ text: String) {
        let line = Array("annex-bench: \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
