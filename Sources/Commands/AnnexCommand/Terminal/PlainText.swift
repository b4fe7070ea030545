import AnnexLinux

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
