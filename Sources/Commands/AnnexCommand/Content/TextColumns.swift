/// Counts the columns that text takes on a terminal, and wraps it.
///
/// Terminals differ in how they draw joined emoji. The count assumes a terminal that draws each part of such an emoji
/// by itself. Another terminal may draw the emoji in fewer columns, but not in more. So no line is wider than counted.
enum TextColumns {
    static func count(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    /// Lines of at most `width` columns. Words stay whole if they fit into a line.
    ///
    /// - Parameter width: at least 2, because some characters take two columns.
    static func wrapped(_ text: String, width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph($0, width: max(width, 2)) }
    }

    private static func paragraph(_ text: Substring, width: Int) -> [String] {
        var lines: [String] = []
        var (line, columns) = ("", 0)
        for piece in text.split(separator: " ").flatMap({ pieces(of: $0, width: width) }) {
            let more = count(piece)
            if columns > 0, columns + 1 + more <= width {
                line += " " + piece
                columns += 1 + more
            } else {
                if columns > 0 { lines.append(line) }
                (line, columns) = (piece, more)
            }
        }
        return lines + [line]
    }

    /// The pieces of a word. A word is cut only if it is wider than a line. A combining mark stays with its letter.
    private static func pieces(of word: Substring, width: Int) -> [String] {
        guard count(word) > width else { return [String(word)] }
        var pieces: [String] = []
        var (piece, columns) = (String.UnicodeScalarView(), 0)
        for scalar in word.unicodeScalars {
            let more = self.width(scalar)
            if columns + more > width {
                pieces.append(String(piece))
                (piece, columns) = (String.UnicodeScalarView(), 0)
            }
            piece.append(scalar)
            columns += more
        }
        return pieces + [String(piece)]
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark:
            // This selector requests the emoji form, which makes some characters wider by one column.
            return scalar == "\u{FE0F}" ? 1 : 0
        case .format: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    /// Whether a character takes two columns. Characters of East Asian scripts and emoji do.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
            0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
