/// Formats text in columns, for a terminal 100 characters wide.
enum Columns {
    private static let terminal = 100

    /// A list in columns that is read downwards first. Entries too wide for a column follow below.
    static func lines(of all: [String], columns: Int, gap: Int = 3) -> [String] {
        let cells = all.filter { $0.count + gap <= terminal / columns }
        let rows = (cells.count + columns - 1) / columns
        let width = (cells.map(\.count).max() ?? 0) + gap
        return (0..<rows).map { row in
            let line = stride(from: row, to: cells.count, by: rows).map { cells[$0].padded(to: width) }
            return line.joined().trimmingSpaces
        } + all.filter { $0.count + gap > terminal / columns }
    }

    /// Wraps words into lines of at most `width` characters. A longer word gets a line of its own.
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
    /// The text, padded with spaces behind it to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }

    /// The text, padded with spaces before it to a width.
    func aligned(to width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - count)) + self
    }

    fileprivate var trimmingSpaces: String {
        String(self.reversed().drop { $0 == " " }.reversed())
    }
}
