/// A JSON value. Objects keep the order of their keys.
package enum JSON: Sendable, Hashable {
    case null
    case boolean(Bool)
    case number(Int)
    /// A number as text. The text is the number's spelling in JSON.
    case numeral(String)
    case text(String)
    case list([JSON])
    case object([Member])

    /// One key of an object.
    package struct Member: Sendable, Hashable {
        let key: String
        let value: JSON

        package init(_ key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The text as a value, or null if the text is nil.
    package static func optional(_ text: String?) -> JSON { text.map(JSON.text) ?? .null }

    /// A time in one unit, exact to the nanosecond. The unit is `.seconds(1)` or shorter.
    package static func time(_ duration: Duration, in unit: Duration) -> JSON {
        .numeral("\(duration / unit)")
    }

    package static func texts(_ texts: some Sequence<String>) -> JSON { .list(texts.map(JSON.text)) }
}

extension JSON {
    /// The value as JSON text over several lines. Characters that are not printable ASCII are escaped, because they may
    /// come from a hostile program.
    package var written: String {
        var text = ""
        write(into: &text, indent: "\n")
        return text
    }

    /// The value as JSON text in one line.
    package var line: String {
        var text = ""
        write(into: &text, indent: nil)
        return text
    }

    /// - Parameter indent: the line end and the spaces before a closing bracket; nil if the whole value is written in
    ///   one line.
    private func write(into text: inout String, indent: String?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .numeral(let value): text += value
        case .text(let value): text += Self.quoted(value)
        case .list(let values):
            Self.write(values, within: "[]", into: &text, indent: indent) { value, text, indent in
                value.write(into: &text, indent: indent)
            }
        case .object(let members):
            Self.write(members, within: "{}", into: &text, indent: indent) { member, text, indent in
                text += Self.quoted(member.key) + ": "
                member.value.write(into: &text, indent: indent)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item], within brackets: String, into text: inout String, indent: String?,
        one: (Item, inout String, String?) -> Void
    ) {
        guard !items.isEmpty else { return text += brackets }
        let inner = indent.map { $0 + "  " }
        text += brackets.prefix(1)
        for (index, item) in items.enumerated() {
            if index > 0 { text += inner == nil ? ", " : "," }
            text += inner ?? ""
            one(item, &text, inner)
        }
        text += (indent ?? "") + brackets.suffix(1)
    }

    private static func quoted(_ value: String) -> String {
        var text = "\""
        for unit in value.utf16 {
            switch unit {
            case 0x22: text += "\\\""
            case 0x5C: text += "\\\\"
            case 0x20..<0x7F: text.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
            default: text += escaped(unit)
            }
        }
        return text + "\""
    }

    private static func escaped(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// JSON text of another writer, with each character escaped that is not printable ASCII. In JSON, such a character
    /// can only be in a text, where its escaped form means the same. White space between the values stays.
    package static func escaping(_ written: String) -> String {
        var text = ""
        text.reserveCapacity(written.utf8.count)
        for unit in written.utf16 {
            switch unit {
            case 0x09, 0x0A, 0x0D, 0x20..<0x7F: text.unicodeScalars.append(UnicodeScalar(UInt8(unit)))
            default: text += escaped(unit)
            }
        }
        return text
    }
}

extension JSON {
    /// Reads the value of an untrusted text. Numbers keep their spelling.
    ///
    /// - Parameter file: the file name that errors state.
    /// - Throws: an error if the text is not JSON, or exceeds the limits of `JSONReader`.
    package init(reading bytes: [UInt8], file: String) throws(PolicyError) {
        self.init(try JSONReader.read(bytes, file: file))
    }

    private init(_ node: JSONNode) {
        switch node.value {
        case .null: self = .null
        case .boolean(let value): self = .boolean(value)
        case .number(let text): self = .numeral(text)
        case .text(let text): self = .text(text)
        case .list(let nodes): self = .list(nodes.map { JSON($0) })
        case .object(let entries): self = .object(entries.map { Member($0.key, value: JSON($0.value)) })
        }
    }

    /// The value of a key; nil if this value is not an object, or has no such key.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text; nil if this value is not a text.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The values of a list; empty if this value is not a list.
    package var items: [JSON] {
        if case .list(let values) = self { values } else { [] }
    }

    /// The number; nil if this value is not a number.
    package var double: Double? {
        switch self {
        case .number(let value): Double(value)
        case .numeral(let text): Double(text)
        default: nil
        }
    }
}
