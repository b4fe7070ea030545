/// Reads a file of translated texts, such as `InfoPlist.strings`: a dictionary whose keys and values are strings.
///
/// The file may be an XML or binary property list, or have the old form, `"key" = "value";`, in UTF-8 or UTF-16.
package enum StringsFile {
    /// The texts by key.
    package static func texts(_ bytes: [UInt8]) throws(PropertyListFailure) -> [String: String] {
        let limits = PropertyListLimits.strings
        guard bytes.count <= limits.bytes else { throw PropertyListFailure(at: 0, "longer than \(limits.bytes) bytes") }
        if !isPropertyList(bytes) {
            var reader = StringsReader(try utf8(bytes), within: limits)
            return try reader.texts()
        }
        guard let values = try PropertyListValue(bytes, within: limits).dictionary else {
            throw PropertyListFailure(at: 0, "not a dictionary")
        }
        var texts: [String: String] = [:]
        for (key, value) in values {
            guard let text = value.string else { throw PropertyListFailure(at: 0, "a value that is \(value.kind)") }
            texts[key] = text
        }
        return texts
    }

    /// Whether the file is an XML or binary property list. The old form never begins with `<`.
    private static func isPropertyList(_ bytes: [UInt8]) -> Bool {
        if bytes.starts(with: "bplist".utf8) { return true }
        let start = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        return start.first { !XMLPropertyListText.isSpace($0) } == UInt8(ascii: "<")
    }

    /// The byte order mark at the start of some UTF-8 files.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The text as UTF-8, without a byte order mark.
    private static func utf8(_ bytes: [UInt8]) throws(PropertyListFailure) -> [UInt8] {
        let isLittleEndian = bytes.starts(with: [0xFF, 0xFE])
        guard isLittleEndian || bytes.starts(with: [0xFE, 0xFF]) else {
            let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
            guard String(validating: text, as: UTF8.self) != nil else {
                throw PropertyListFailure(at: 0, "text that is neither UTF-8 nor UTF-16 with a byte order mark")
            }
            return text
        }
        guard bytes.count % 2 == 0 else { throw PropertyListFailure(at: bytes.count, "half a character of UTF-16") }
        let units = stride(from: 2, to: bytes.count, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw PropertyListFailure(at: 2, "text that is not UTF-16")
        }
        return Array(text.utf8)
    }
}

extension PropertyListLimits {
    /// The limits for translated texts.
    package static let strings = PropertyListLimits(bytes: 64 << 10, values: 512, depth: 2, key: 256)
}

/// Reads the old form: pairs of a key and a value, with comments as in C. If a pair has no value, its key is also its
/// value.
struct StringsReader {
    private var scanner: ByteScanner
    private var budget: PropertyListBudget

    /// - Parameter text: valid UTF-8.
    init(_ text: [UInt8], within limits: PropertyListLimits) {
        scanner = ByteScanner(text)
        budget = PropertyListBudget(limits)
    }

    mutating func texts() throws(PropertyListFailure) -> [String: String] {
        var texts: [String: String] = [:]
        while true {
            try skipSpace()
            if scanner.next == nil { return texts }
            try budget.spendValue(at: scanner.position, depth: 0)
            let key = try word()
            try budget.checkKey(key, at: scanner.position)
            try skipSpace()
            var value = key
            if scanner.skip("=") {
                try skipSpace()
                value = try word()
                try skipSpace()
            }
            guard scanner.skip(";") else { throw scanner.failure("expected a semicolon") }
            // If a key appeared twice, two readers could use different values for it.
            guard texts.updateValue(value, forKey: key) == nil else { throw scanner.failure("a key appears twice") }
        }
    }

    /// Skips white space and comments.
    private mutating func skipSpace() throws(PropertyListFailure) {
        while true {
            scanner.skipSpace()
            if scanner.skip("/*") {
                guard scanner.read(through: "*/") != nil else { throw scanner.failure("a comment without an end") }
            } else if scanner.skip("//") {
                if scanner.read(upTo: { $0 == 0x0A || $0 == 0x0D }) == nil { scanner.skipAll() }
            } else {
                return
            }
        }
    }

    /// Reads a text in quotes, or a word of letters, digits and a few signs.
    private mutating func word() throws(PropertyListFailure) -> String {
        if scanner.skip("\"") { return try quoted() }
        var bytes: [UInt8] = []
        while let byte = scanner.next, Self.isPlain(byte) {
            bytes.append(byte)
            _ = scanner.readByte()
        }
        guard !bytes.isEmpty else { throw scanner.failure("expected a text in quotes") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."),
            UInt8(ascii: ":"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

extension StringsReader {
    /// Reads the text after an opening quote, and the closing quote.
    private mutating func quoted() throws(PropertyListFailure) -> String {
        var units: [UInt16] = []
        var text = ""
        while let part = scanner.read(upTo: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
            if !part.isEmpty {
                text += try Self.text(&units, at: scanner)
                text += String(decoding: part, as: UTF8.self)
            }
            if scanner.skip("\"") { return text + (try Self.text(&units, at: scanner)) }
            _ = scanner.readByte()
            units.append(try escape())
        }
        throw scanner.failure("a text without an end")
    }

    /// Decodes and removes the UTF-16 units of a row of escapes. Two escapes may form one character, so the whole row
    /// is decoded together.
    private static func text(_ units: inout [UInt16], at scanner: ByteScanner) throws(PropertyListFailure) -> String {
        guard let text = String(validating: units, as: UTF16.self) else {
            throw scanner.failure("an escape that is half a character")
        }
        units = []
        return text
    }

    /// Reads the characters after a backslash, and returns the UTF-16 unit that they stand for.
    private mutating func escape() throws(PropertyListFailure) -> UInt16 {
        guard let byte = scanner.readByte() else { throw scanner.failure("a text without an end") }
        switch byte {
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "a"): return 0x07
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "v"): return 0x0B
        case UInt8(ascii: "U"), UInt8(ascii: "u"): return try hexadecimal()
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "'"), 0x0A: return UInt16(byte)
        default: throw scanner.failure("an unknown escape")
        }
    }

    /// Reads four hexadecimal digits.
    private mutating func hexadecimal() throws(PropertyListFailure) -> UInt16 {
        var digits: [UInt8] = []
        while digits.count < 4, let byte = scanner.readByte() { digits.append(byte) }
        guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16), digits.count == 4
        else { throw scanner.failure("an escape without four hexadecimal digits") }
        return unit
    }
}
