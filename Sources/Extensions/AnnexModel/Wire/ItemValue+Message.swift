public import AnnexChannel

/// A value is encoded as one field, and the field's number states the kind of the value. Lists and dictionaries may
/// be nested.
extension ItemValue: Message {
    private enum Tag {
        static let string: UInt16 = 1
        static let integer: UInt16 = 2
        static let double: UInt16 = 3
        static let bool: UInt16 = 4
        static let data: UInt16 = 5
        static let list: UInt16 = 6
        static let dictionary: UInt16 = 7
        static let date: UInt16 = 8
    }

    public func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .string(let value): encoder.encode(value, as: Tag.string)
        case .integer(let value): encoder.encode(value, as: Tag.integer)
        case .double(let value): encoder.encode(value, as: Tag.double)
        case .bool(let value): encoder.encode(value, as: Tag.bool)
        case .data(let value): encoder.encode(value, as: Tag.data)
        case .date(let value): encoder.encode(value.secondsSince1970, as: Tag.date)
        case .list(let values): encoder.encode(ItemList(values: values), as: Tag.list)
        case .dictionary(let values): encoder.encode(ItemDictionary(values: values), as: Tag.dictionary)
        }
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        if let value = try decoder.decodeIfPresent(Tag.string, as: String.self) {
            self = .string(value)
        } else if let value = try decoder.decodeIfPresent(Tag.integer, as: Int64.self) {
            self = .integer(value)
        } else if let value = try decoder.decodeIfPresent(Tag.double, as: Double.self) {
            self = .double(value)
        } else if let value = try decoder.decodeIfPresent(Tag.bool, as: Bool.self) {
            self = .bool(value)
        } else if let value = try decoder.decodeIfPresent(Tag.data, as: [UInt8].self) {
            self = .data(value)
        } else if let value = try decoder.decodeIfPresent(Tag.date, as: Double.self) {
            self = .date(ItemDate(secondsSince1970: value))
        } else if let value = try decoder.decodeIfPresent(Tag.list, as: ItemList.self) {
            self = .list(value.values)
        } else if let value = try decoder.decodeIfPresent(Tag.dictionary, as: ItemDictionary.self) {
            self = .dictionary(value.values)
        } else {
            throw decoder.failure(Tag.string, reason: .rejected("a value of an unknown kind"))
        }
    }
}

private struct ItemList: Message {
    let values: [ItemValue]

    init(values: [ItemValue]) { self.values = values }

    func encode(into encoder: inout MessageEncoder) { encoder.encode(list: values, as: 1) }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        values = try decoder.decodeList(1)
    }
}

/// A dictionary as a message. Its entries are sorted by key, so that equal dictionaries have equal bytes.
package struct ItemDictionary: Message {
    package let values: [String: ItemValue]

    package init(values: [String: ItemValue]) {
        self.values = values
    }

    package func encode(into encoder: inout MessageEncoder) {
        let entries = values.sorted { $0.key < $1.key }
        encoder.encode(list: entries.lazy.map { Entry(key: $0.key, value: $0.value) }, as: 1)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        var values: [String: ItemValue] = [:]
        for entry in try decoder.decodeList(1, of: Entry.self) {
            // A key must not appear twice. Otherwise one reader could check the first value, while another reader
            // uses the second value.
            guard values.updateValue(entry.value, forKey: entry.key) == nil else {
                throw decoder.failure(1, reason: .rejected("a key appears twice"))
            }
        }
        self.values = values
    }

    private struct Entry: Message {
        let key: String
        let value: ItemValue

        init(key: String, value: ItemValue) {
            self.key = key
            self.value = value
        }

        func encode(into encoder: inout MessageEncoder) {
            encoder.encode(key, as: 1)
            encoder.encode(value, as: 2)
        }

        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
            key = try decoder.decode(1)
            value = try decoder.decode(2)
        }
    }
}
