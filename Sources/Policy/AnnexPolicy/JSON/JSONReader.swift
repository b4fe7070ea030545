internal import AnnexLinux

/// Reads untrusted JSON. For any bytes, it returns a value or throws an error that names the line and the column.
///
/// Foundation's readers do not state places and accept duplicate keys. This reader bounds size and depth, refuses
/// duplicate keys, and keeps the spelling of numbers.
package struct JSONReader {
    /// The largest text in bytes. The largest known profile has 30 KiB.
    static let largestText = 1 << 20
    /// The deepest nesting. A profile has four levels.
    static let deepest = 32

    private static let longestNumber = 64

    private let bytes: [UInt8]
    private let file: String
    private var at = 0
    private var line = 1
    private var lineStart = 0

    private init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
    }

    package static func read(_ bytes: [UInt8], file: String) throws(PolicyError) -> JSONNode {
        let start = PolicyPlace(file: file, line: 1, column: 1)
        guard bytes.count <= largestText else {
            throw PolicyError("the text is longer than \(largestText) bytes", at: start)
        }
        var reader = JSONReader(bytes, file: file)
        let root = try reader.value(path: .root, depth: 0)
        reader.skipBlanks()
        guard reader.at == bytes.count else { throw reader.error("the text continues after its value") }
        return root
    }

    private var place: PolicyPlace { PolicyPlace(file: file, line: line, column: at - lineStart + 1) }

    private func error(_ problem: String) -> PolicyError { PolicyError("not JSON: \(problem)", at: place) }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    /// Only this function counts lines, because a text within the JSON cannot contain a line end.
    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            at += 1
            if byte == 0x0A { (line, lineStart) = (line + 1, at) }
        }
    }

    private mutating func skip(_ letter: Unicode.Scalar) -> Bool {
        guard let byte = next, UInt32(byte) == letter.value else { return false }
        at += 1
        return true
    }

    private mutating func value(path: JSONPath, depth: Int) throws(PolicyError) -> JSONNode {
        skipBlanks()
        guard depth < Self.deepest else { throw error("values are nested deeper than \(Self.deepest) levels") }
        let place = place
        let value: JSONNode.Value =
            switch next {
            case UInt8(ascii: "{"): try object(path: path, depth: depth)
            case UInt8(ascii: "["): try list(path: path, depth: depth)
            case UInt8(ascii: "\""): .text(try text())
            case UInt8(ascii: "t"): try word("true", value: .boolean(true))
            case UInt8(ascii: "f"): try word("false", value: .boolean(false))
            case UInt8(ascii: "n"): try word("null", value: .null)
            case nil: throw error("the text ends where a value is expected")
            default: .number(try number())
            }
        return JSONNode(value: value, place: place, path: path)
    }

    private mutating func object(path: JSONPath, depth: Int) throws(PolicyError) -> JSONNode.Value {
        at += 1
        var entries: [JSONNode.Entry] = []
        var keys: Set<String> = []
        skipBlanks()
        if skip("}") { return .object([]) }
        repeat {
            skipBlanks()
            let keyPlace = place
            guard next == UInt8(ascii: "\"") else { throw error("a key is expected") }
            let key = try text()
            guard keys.insert(key).inserted else {
                throw PolicyError(
                    "`\(path.text)` has the key `\(Escaped(key, limit: 200).description)` twice", at: keyPlace)
            }
            skipBlanks()
            guard skip(":") else { throw error("`:` is expected after a key") }
            let value = try value(path: .member(of: path, key: key), depth: depth + 1)
            entries.append(JSONNode.Entry(key: key, value: value))
            skipBlanks()
        } while skip(",")
        guard skip("}") else { throw error("`,` or `}` is expected") }
        return .object(entries)
    }

    private mutating func list(path: JSONPath, depth: Int) throws(PolicyError) -> JSONNode.Value {
        at += 1
        var nodes: [JSONNode] = []
        skipBlanks()
        if skip("]") { return .list([]) }
        repeat {
            nodes.append(try value(path: .element(of: path, index: nodes.count), depth: depth + 1))
            skipBlanks()
        } while skip(",")
        guard skip("]") else { throw error("`,` or `]` is expected") }
        return .list(nodes)
    }

    private mutating func word(_ word: String, value: JSONNode.Value) throws(PolicyError) -> JSONNode.Value {
        guard bytes[at...].starts(with: word.utf8) else { throw error("a value is expected") }
        at += word.utf8.count
        return value
    }
}

extension JSONReader {
    private mutating func number() throws(PolicyError) -> String {
        let start = at
        _ = skip("-")
        if !skip("0") { try digits("a value is expected") }
        if skip(".") { try digits("digits are expected after the point") }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try digits("digits are expected in the exponent")
        }
        guard at - start <= Self.longestNumber else {
            throw error("a number has more than \(Self.longestNumber) characters")
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func digits(_ problem: String) throws(PolicyError) {
        let start = at
        while let byte = next, byte >= 0x30, byte <= 0x39 { at += 1 }
        guard at > start else { throw error(problem) }
    }

    private mutating func text() throws(PolicyError) -> String {
        at += 1
        var letters: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw error("a text must not contain a control character") }
            at += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &letters) } else { letters.append(byte) }
        }
        guard let text = String(validating: letters, as: UTF8.self) else { throw error("a text is not UTF-8") }
        guard skip("\"") else { throw error("the text ends inside quotes") }
        return text
    }

    private mutating func escape(into letters: inout [UInt8]) throws(PolicyError) {
        let plain: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
        ]
        guard let byte = next else { throw error("the text ends inside quotes") }
        at += 1
        if let letter = plain[byte] { return letters.append(letter) }
        guard byte == UInt8(ascii: "u") else { throw error("unknown escape") }
        var code = UInt32(try unit())
        if code >= 0xD800, code < 0xDC00, skip("\\"), skip("u") {
            let low = UInt32(try unit())
            guard low >= 0xDC00, low < 0xE000 else { throw error("a surrogate pair is incomplete") }
            code = 0x1_0000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error("a surrogate pair is incomplete") }
        letters += Array(String(Character(scalar)).utf8)
    }

    private mutating func unit() throws(PolicyError) -> UInt16 {
        let digits = bytes[at..<min(at + 4, bytes.count)]
        guard digits.count == 4, let text = String(validating: digits, as: UTF8.self),
            text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }), let unit = UInt16(text, radix: 16)
        else { throw error("four hexadecimal digits are expected after `\\u`") }
        at += 4
        return unit
    }
}
