public import AnnexChannel

/// The number of the one field gives the kind of the value. Lists and dictionaries nest.
extension ItemValue: Message {
    private enum Tag {
        static let string: UInt16 = 1
        static let integer: UInt16 = 2
        static let double: UInt16 = 3
        static let bool: UInt16 = 4
        static let data: UInt16 = 5
        static let list: UInt16 = 6
        static let dictionary: UInt16 = 7
    }

    public func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .string(let value): encoder.encode(value, as: Tag.string)
        case .integer(let value): encoder.encode(value, as: Tag.integer)
        case .double(let value): encoder.encode(value, as: Tag.double)
        case .bool(let value): encoder.encode(value, as: Tag.bool)
        case .data(let value): encoder.encode(value, as: Tag.data)
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
        } else if let value = try decoder.decodeIfPresent(Tag.list, as: ItemList.self) {
            self = .list(value.values)
        } else if let value = try decoder.decodeIfPresent(Tag.dictionary, as: ItemDictionary.self) {
            self = .dictionary(value.values)
        } else {
            throw decoder.failure(Tag.string, .refused("a value of no known kind"))
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
