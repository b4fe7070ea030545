internal import AnnexLinux

/// The name of a machine in the Domain Name System, in the one form in which names are compared: ASCII in small
/// letters, without a dot at the end. Letters of other scripts are in punycode (`xn--…`), as programs ask for them.
public struct HostName: Sendable, Hashable {
    /// For example `code.example.org`.
    public let text: String

    /// Reads a name in any spelling: in capitals, with a dot at its end, or with letters of other scripts.
    /// - Throws: if no machine can have the name, for example because a part is empty or longer than 63 bytes.
    public init(_ name: String) throws(PolicyError) {
        let plain = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard !plain.isEmpty else { throw PolicyError("a host name is empty") }
        var labels: [String] = []
        for label in plain.split(separator: ".", omittingEmptySubsequences: false) {
            labels.append(try Self.label(String(label), of: name))
        }
        text = labels.joined(separator: ".")
        guard text.utf8.count <= Self.longest else {
            throw PolicyError("the host name `\(Escaped(name, limit: 80))` is longer than \(Self.longest) bytes")
        }
    }

    private static let (longest, longestLabel) = (253, 63)

    private static func label(_ label: String, of name: String) throws(PolicyError) -> String {
        func error(_ what: String) -> PolicyError {
            PolicyError("the host name `\(Escaped(name, limit: 80))` \(what)")
        }
        // A label that is longer than this even before its punycode is refused before the work for it.
        guard !label.isEmpty, label.utf8.count <= 4 * longestLabel else {
            throw error(label.isEmpty ? "has an empty part" : "has a part of more than \(longestLabel) bytes")
        }
        let small = label.lowercased()
        let plain = small.utf8.allSatisfy { $0 < 0x80 } ? small : try punycode(of: small, error)
        guard plain.utf8.count <= longestLabel else { throw error("has a part of more than \(longestLabel) bytes") }
        guard plain.utf8.allSatisfy(isLetter), !plain.hasPrefix("-"), !plain.hasSuffix("-") else {
            throw error("has a part of other signs than letters, digits and hyphens inside")
        }
        return plain
    }

    /// Letters of other scripts in punycode. The name's author must write them in composed form, because a letter and
    /// its accent as two signs would be another name.
    private static func punycode(
        of label: String, _ error: (String) -> PolicyError
    ) throws(PolicyError) -> String {
        let scalars = Array(label.unicodeScalars)
        for scalar in scalars where !scalar.isASCII {
            let properties = scalar.properties
            guard properties.isAlphabetic || properties.numericType == .decimal,
                properties.canonicalCombiningClass == .notReordered, properties.isXIDContinue
            else { throw error("has the sign U+\(String(scalar.value, radix: 16)): write this part as `xn--…`") }
        }
        return "xn--" + String(decoding: Punycode.encode(scalars), as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether the name lies below another name, however many parts before it.
    public func isBelow(_ other: HostName) -> Bool {
        text.utf8.reversed().starts(with: ".\(other.text)".utf8.reversed())
    }
}

extension HostName: CustomStringConvertible {
    public var description: String { text }

    /// The name for people: with its letters of other scripts behind the text, if it has such. For example
    /// `xn--bcher-kva.example (bücher.example)`. The two forms stand together, because letters of different scripts can
    /// look the same.
    public var words: String {
        guard text.utf8.starts(with: "xn--".utf8) || text.contains(".xn--") else { return text }
        let labels = text.split(separator: ".").map { Self.readable(String($0)) }
        return "\(text) (\(Escaped(labels.joined(separator: "."))))"
    }

    private static func readable(_ label: String) -> String {
        guard label.hasPrefix("xn--"), let scalars = Punycode.decode(Array(label.utf8.dropFirst(4))) else {
            return label
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
