/// Text from an extension, escaped so that it is safe to show. The text cannot move a cursor, change a colour, reverse
/// the direction of writing or begin a new line. It also cannot look like a line of another program.
///
/// Control characters, bidirectional overrides and invisible marks appear in the form `\u{1b}`. Bytes that are not
/// UTF-8 appear in the form `\x{ff}`, and a backslash as `\\`. The length is bounded.
public struct Escaped: Sendable, Hashable, CustomStringConvertible {
    /// One line of printable text.
    public let description: String

    /// Escapes bytes from an untrusted source.
    ///
    /// - Parameter limit: the maximum size of the result in bytes of UTF-8. If bytes were cut off, a note after the
    ///   result gives their number. The limit does not include the note.
    public init(_ bytes: some Collection<UInt8>, limit: Int = 1_024) {
        description = Self.escape(bytes, limit: limit)
    }

    /// Escapes bytes from an untrusted source and puts them in double quotes, so that a reader can tell them from
    /// the text around them.
    ///
    /// - Parameter limit: the maximum number of bytes between the quotes. If bytes were cut off, a note after the
    ///   quotes gives their number.
    public init(quoting bytes: some Collection<UInt8>, limit: Int = 1_024) {
        let (text, rest) = Self.escapedPrefix(of: bytes, limit: limit, isQuoted: true)
        description = "\"\(text)\"" + Self.remark(on: rest)
    }

    /// Escapes text from an untrusted source.
    public init(_ text: String, limit: Int = 1_024) {
        description = Self.escape(text.utf8, limit: limit)
    }

    /// Text that was escaped before it was sent. If the text is safe to show, it is kept. Otherwise it is escaped
    /// again.
    package init(escapedBefore text: String) {
        description = text.unicodeScalars.allSatisfy(Self.isHarmless) ? text : Self.escape(text.utf8, limit: 4_096)
    }

    /// The last lines of an output. Each line is escaped separately and has its own limit.
    public static func lines(of output: [UInt8], last count: Int = 20, limit: Int = 400) -> [Escaped] {
        output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
            .suffix(max(count, 0))
            .map { Escaped($0, limit: limit) }
    }
}

extension Escaped: Comparable {
    public static func < (left: Escaped, right: Escaped) -> Bool { left.description < right.description }
}

extension Escaped {
    private static func escape(_ bytes: some Collection<UInt8>, limit: Int) -> String {
        let (text, rest) = escapedPrefix(of: bytes, limit: limit, isQuoted: false)
        return text + remark(on: rest)
    }

    private static func remark(on rest: Int) -> String { rest > 0 ? "… (\(rest) bytes more)" : "" }

    /// The escaped form of the prefix that fits, and the number of bytes that did not fit.
    private static func escapedPrefix(
        of bytes: some Collection<UInt8>, limit: Int, isQuoted: Bool
    ) -> (text: String, rest: Int) {
        var result = ""
        var size = 0
        var rest = bytes[...]
        while let (piece, length) = next(of: rest) {
            let shown = isQuoted && piece == "\"" ? "\\\"" : piece
            guard size + shown.utf8.count <= limit else { return (result, rest.count) }
            result += shown
            size += shown.utf8.count
            rest = rest.dropFirst(length)
        }
        return (result, 0)
    }

    /// The printable form of the next character, and the number of bytes of the character.
    private static func next<Bytes: Collection<UInt8>>(of rest: Bytes) -> (piece: String, length: Int)? {
        guard let first = rest.first else { return nil }
        let length = sequenceLength(first)
        if length > 0, let text = String(validating: rest.prefix(length), as: UTF8.self),
            let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1
        {
            return (printable(scalar), length)
        }
        return ("\\x{\(String(first, radix: 16))}", 1)
    }

    private static func sequenceLength(_ first: UInt8) -> Int {
        switch first {
        case 0x00..<0x80: 1
        case 0xC2..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0..<0xF5: 4
        default: 0
        }
    }

    private static func printable(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: isHarmless(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The category "format" includes bidirectional overrides, zero-width marks and tag characters.
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        case .spaceSeparator: scalar == " "
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
