import AnnexLinux

/// A stranger's text that may have been escaped already: as it is where that is harmless, else escaped.
enum PlainText {
    static func shown(_ text: String, limit: Int = 4096) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        return isPlain && text.utf8.count <= limit ? text : Escaped(text, limit: limit).description
    }

    /// One line of at most so many characters.
    static func cut(_ text: String, to width: Int) -> String {
        text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
    }
}
