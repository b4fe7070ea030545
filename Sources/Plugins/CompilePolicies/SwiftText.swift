/// Values as Swift writes them.
enum SwiftText {
    /// Any text, whatever it holds.
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
        "Duration(secondsComponent: \(value.components.seconds), attosecondsComponent: \(value.components.attoseconds))"
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
