/// A format with escapes of its own, such as JSON, gets the true text. Otherwise the text would be escaped twice, and
/// could not be told from a text that has the escapes literally.
extension Escaped {
    /// The text before it was escaped, within the same bound. Text with bytes that are not UTF-8 stays escaped.
    package var plain: String { Self.plain(description) }

    /// Whether all bytes of the text are UTF-8.
    package var isUTF8: Bool { Self.original(description) != nil }

    /// The text of a line in which every part from an untrusted source was escaped. If a part has bytes that are not
    /// UTF-8, the line stays as it is.
    package static func plain(_ line: String) -> String { original(line) ?? line }

    private enum Original {
        case scalar(Unicode.Scalar, length: Int)
        case byte
    }

    /// The text without its escapes; nil if a byte is no text.
    private static func original(_ line: String) -> String? {
        guard line.utf8.contains(UInt8(ascii: "\\")) else { return line }
        var text = ""
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let escape = escape(at: rest) else {
                text.unicodeScalars.append(scalar)
                continue
            }
            guard case .scalar(let original, let length) = escape else { return nil }
            text.unicodeScalars.append(original)
            rest = rest.dropFirst(length)
        }
        return text
    }

    /// The meaning of the characters after a backslash; nil if they are not an escape.
    private static func escape(at rest: Substring.UnicodeScalarView) -> Original? {
        switch rest.first {
        case "\\": return .scalar("\\", length: 1)
        case "n": return .scalar("\n", length: 1)
        case "r": return .scalar("\r", length: 1)
        case "t": return .scalar("\t", length: 1)
        case "u", "x":
            // The longest number is that of the last scalar, `10ffff`.
            let number = rest.dropFirst().prefix(8)
            guard number.first == "{", let end = number.firstIndex(of: "}") else { return nil }
            let digits = String(String.UnicodeScalarView(number[number.index(after: number.startIndex)..<end]))
            guard let value = UInt32(digits, radix: 16) else { return nil }
            if rest.first == "x" { return .byte }
            return Unicode.Scalar(value).map { .scalar($0, length: digits.utf8.count + 3) }
        default: return nil
        }
    }
}

extension Escaped: Codable {
    /// The most bytes of a text that is decoded.
    private static let longest = 1 << 16

    /// Decodes the true text, and escapes it.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self), limit: Self.longest)
    }

    /// Encodes the true text. Text with bytes that are not UTF-8 stays escaped.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(plain)
    }
}
