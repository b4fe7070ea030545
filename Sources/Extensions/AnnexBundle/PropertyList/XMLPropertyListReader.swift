/// Reads the XML form of a property list in UTF-8. It accepts only the elements of property lists, and no entities that
/// the document itself declares.
struct XMLPropertyListReader {
    private var scanner: ByteScanner
    private var budget: PropertyListBudget

    init(_ bytes: [UInt8], within limits: PropertyListLimits) throws(PropertyListFailure) {
        budget = PropertyListBudget(limits)
        scanner = ByteScanner(bytes)
        _ = scanner.skip("\u{FEFF}")
        guard !bytes.starts(with: [0xFE, 0xFF]), !bytes.starts(with: [0xFF, 0xFE]) else {
            throw scanner.failure("UTF-16 is not supported; save the file as UTF-8")
        }
    }

    /// The only value of the document.
    mutating func document() throws(PropertyListFailure) -> PropertyListValue {
        try skipProlog()
        guard try openingTag() == "plist" else { throw scanner.failure("expected <plist>") }
        let value = try value(depth: 0)
        try skipMisc()
        guard scanner.skip("</plist>") else { throw scanner.failure("expected </plist> after one value") }
        try skipMisc()
        guard scanner.next == nil else { throw scanner.failure("text after </plist>") }
        return value
    }

    private mutating func skipProlog() throws(PropertyListFailure) {
        try skipMisc()
        guard scanner.skip("<!DOCTYPE") else { return }
        // The declarations of a document, between square brackets, could define entities that expand to huge text.
        guard let type = scanner.read(upTo: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") }), !type.isEmpty,
            scanner.skip(">")
        else { throw scanner.failure("a document type with declarations of its own is not supported") }
        try skipMisc()
    }

    /// Skips white space, comments and processing instructions.
    private mutating func skipMisc() throws(PropertyListFailure) {
        while true {
            scanner.skipSpace()
            if scanner.skip("<!--") {
                guard scanner.read(through: "-->") != nil else { throw scanner.failure("a comment without an end") }
            } else if scanner.skip("<?") {
                guard scanner.read(through: "?>") != nil else { throw scanner.failure("an instruction without an end") }
            } else {
                return
            }
        }
    }
}

extension XMLPropertyListReader {
    private mutating func value(depth: Int) throws(PropertyListFailure) -> PropertyListValue {
        try budget.spendValue(at: scanner.position, depth: depth)
        let name = try openingTag()
        switch name {
        case "true/": return .boolean(true)
        case "false/": return .boolean(false)
        case "true", "false":
            guard try text(until: name).isEmpty else { throw scanner.failure("text inside <\(name)>") }
            return .boolean(name == "true")
        case "dict/": return .dictionary([:])
        case "array/": return .array([])
        case "string/": return .string("")
        case "data/": return .data([])
        case "dict": return .dictionary(try dictionary(depth: depth))
        case "array": return .array(try array(depth: depth))
        default: return try scalar(name)
        }
    }

    private mutating func scalar(_ name: String) throws(PropertyListFailure) -> PropertyListValue {
        guard ["string", "integer", "real", "date", "data"].contains(name) else {
            throw scanner.failure("unknown element <\(name)>")
        }
        let text = try text(until: name)
        if name == "string" { return .string(text) }
        let value =
            switch name {
            case "integer": XMLPropertyListText.integer(text).map(PropertyListValue.integer)
            case "real": XMLPropertyListText.real(text).map(PropertyListValue.real)
            case "data": XMLPropertyListText.data(text).map(PropertyListValue.data)
            default: Optional.some(PropertyListValue.dateText(XMLPropertyListText.trimmed(text)))
            }
        guard let value else { throw scanner.failure("not a value of <\(name)>") }
        return value
    }

    private mutating func array(depth: Int) throws(PropertyListFailure) -> [PropertyListValue] {
        var values: [PropertyListValue] = []
        while true {
            try skipMisc()
            if scanner.skip("</array>") { return values }
            values.append(try value(depth: depth + 1))
        }
    }

    private mutating func dictionary(depth: Int) throws(PropertyListFailure) -> [String: PropertyListValue] {
        var values: [String: PropertyListValue] = [:]
        while true {
            try skipMisc()
            if scanner.skip("</dict>") { return values }
            guard try openingTag() == "key" else { throw scanner.failure("expected <key>") }
            let key = try text(until: "key")
            try budget.checkKey(key, at: scanner.position)
            let value = try value(depth: depth + 1)
            // If a key appeared twice, two readers could use different values for it.
            guard values.updateValue(value, forKey: key) == nil else { throw scanner.failure("a key appears twice") }
        }
    }
}

extension XMLPropertyListReader {
    /// Reads `<name …>` and returns the name, with a slash at its end for `<name/>`.
    private mutating func openingTag() throws(PropertyListFailure) -> String {
        try skipMisc()
        guard scanner.skip("<"), let inside = scanner.read(upTo: { $0 == UInt8(ascii: ">") }), scanner.skip(">"),
            inside.count <= 256
        else { throw scanner.failure("expected an element") }
        let name = inside.prefix { !XMLPropertyListText.isSpace($0) && $0 != UInt8(ascii: "/") }
        let isEmpty = inside.last == UInt8(ascii: "/")
        let isPlain = name.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        guard isPlain else { throw scanner.failure("expected an element of a property list") }
        return String(decoding: name, as: UTF8.self) + (isEmpty ? "/" : "")
    }

    /// Reads the text up to `</name>`, and the closing tag itself.
    private mutating func text(until name: String) throws(PropertyListFailure) -> String {
        var bytes: [UInt8] = []
        while let part = scanner.read(upTo: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) {
            bytes.append(contentsOf: part)
            if scanner.skip("&") {
                bytes.append(contentsOf: try reference())
            } else if scanner.skip("<![CDATA[") {
                guard let raw = scanner.read(through: "]]>") else { throw scanner.failure("CDATA without an end") }
                bytes.append(contentsOf: raw)
            } else if scanner.skip("<!--") {
                guard scanner.read(through: "-->") != nil else { throw scanner.failure("a comment without an end") }
            } else {
                return try closing(name, bytes: bytes)
            }
        }
        throw scanner.failure("<\(name)> without an end")
    }

    private mutating func closing(_ name: String, bytes: [UInt8]) throws(PropertyListFailure) -> String {
        guard scanner.skip("</"), let found = scanner.read(upTo: { $0 == UInt8(ascii: ">") }),
            XMLPropertyListText.trimmed(String(decoding: found, as: UTF8.self)) == name, scanner.skip(">")
        else { throw scanner.failure("expected </\(name)>") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw scanner.failure("text is not UTF-8") }
        return text
    }

    /// Reads the reference between `&` and `;`: one of XML's five names, or the number of a character.
    private mutating func reference() throws(PropertyListFailure) -> String.UTF8View {
        guard let inside = scanner.read(upTo: { $0 == UInt8(ascii: ";") }), scanner.skip(";"), inside.count <= 10,
            let text = XMLPropertyListText.reference(String(decoding: inside, as: UTF8.self))
        else { throw scanner.failure("an unknown reference after &") }
        return text.utf8
    }
}
