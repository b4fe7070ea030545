extension JSON {
    /// The value of a text that nobody vouches for; numbers stay as they are written there.
    /// - Parameter file: how errors name the text.
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

    /// The value of a key; nil where this is no object or has no such key.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text, where this is one.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The values of a list; none where this is no list.
    package var items: [JSON] {
        if case .list(let values) = self { values } else { [] }
    }

    /// The number, where this is one that fits.
    package var double: Double? {
        switch self {
        case .number(let value): Double(value)
        case .numeral(let text): Double(text)
        default: nil
        }
    }
}
