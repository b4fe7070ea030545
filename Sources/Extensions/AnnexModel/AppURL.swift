/// A URL with which an app may be opened, in the form of RFC 3986: `todolist://add?milk`.
///
/// The URL becomes the only argument of the app's program. So the URL must be plain: it begins with a scheme that
/// apps register, and it contains only printable ASCII without spaces and quotes.
public struct AppURL: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes of a URL.
    public static let mostBytes = 2048
    /// Schemes that stand for files or code, and not for an app; and the scheme in which the broker states why it started
    /// an app.
    private static let refused: Set<String> = [
        "file", "javascript", "vbscript", "data", "blob", "about", "view-source", StartReason.scheme,
    ]

    /// The URL exactly as it was given.
    public let text: String
    /// The scheme in lower case.
    public let scheme: String

    public var description: String { text }

    /// - Throws: the rule that the text breaks.
    public init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.mostBytes else { throw Fault(what: "is longer than \(Self.mostBytes) bytes") }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(text[..<colon]) else {
            throw Fault(what: "does not begin with a scheme, such as `todolist:`")
        }
        scheme = text[..<colon].lowercased()
        guard !Self.refused.contains(scheme) else { throw Fault(what: "has the scheme \(scheme), which opens no app") }
        guard text.utf8.allSatisfy(Self.isPlain) else {
            throw Fault(what: "holds a character that must be escaped with % in a URL")
        }
        self.text = text
    }

    /// Whether the text is a scheme: a letter, then letters, digits, plus signs, hyphens and dots; 64 bytes at most.
    package static func isScheme(_ text: some StringProtocol) -> Bool {
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Whether the byte is harmless to a shell. RFC 3986 allows the single quote, but this function refuses it
    /// together with all characters that RFC 3986 excludes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"'<>\\^`{|}".utf8.contains(byte)
    }

    /// The rule that a text breaks.
    public struct Fault: Error, Sendable, Hashable {
        /// The problem, as the end of a sentence whose subject is the text, for example `is longer than 2048 bytes`.
        public let what: String
    }
}
