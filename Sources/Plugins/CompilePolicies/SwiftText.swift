/// Writes values as Swift source.
enum SwiftText {
    /// A string literal for any text.
    static func text(_ value: String) -> String {
        let letters = value.unicodeScalars.map { scalar in
            let isPlain = scalar.value >= 0x20 && scalar.value < 0x7F && scalar != "\"" && scalar != "\\"
            return isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
        return "\"\(letters.joined())\""
    }

    static func list(_ items: [String]) -> String { "[\(items.joined(separator: ", "))]" }

    static func mapping(_ entries: [(String, String)]) -> String {
        entries.isEmpty ? "[:]" : list(entries.map { "\($0.0): \($0.1)" })
    }

    static func duration(_ value: Duration) -> String {
        let (seconds, attoseconds) = value.components
        guard attoseconds != 0 else { return ".seconds(\(seconds))" }
        return "Duration(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
    }

    /// Instructions as rows of hexadecimal digits: six in a row, each followed by a space.
    static func rows(_ bytes: [UInt8]) -> String {
        let words = stride(from: 0, to: bytes.count, by: 8).map { hexadecimal(bytes[$0..<min($0 + 8, bytes.count)]) }
        return stride(from: 0, to: words.count, by: 6).map { start in
            "            \(words[start..<min(start + 6, words.count)].joined(separator: " "))\n"
        }.joined()
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
