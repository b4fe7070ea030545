extension JSON {
    /// Reads the value of an untrusted text. Numbers keep their spelling.
    ///
    /// - Parameter file: the file name that errors state.
    /// - Throws: if the text is not JSON within the limits of `JSONReader`.
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
        case .object(let entries): self = .object(entries.map { Member($0.key, JSON($0.value)) })
        }
    }

    /// The value of a key; nil if this is no object or has no such key.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text; nil if this is no text.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The values of a list; empty if this is no list.
    package var items: [JSON] {
        if case .list(let values) = self { values } else { [] }
    }

    /// The number; nil if this is no number.
    package var double: Double? {
        switch self {
        case .number(let value): Double(value)
        case .numeral(let text): Double(text)
        default: nil
        }
    }
}
