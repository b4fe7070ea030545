/// A small value in an item's user info: what a property list can hold, without dates.
public indirect enum ItemValue: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case data([UInt8])
    case list([ItemValue])
    case dictionary([String: ItemValue])
}

extension ItemValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension ItemValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: ItemValue...) { self = .list(elements) }

    /// A key given twice keeps its last value.
    public init(dictionaryLiteral elements: (String, ItemValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension ItemValue {
    /// The text, or nil where the value is something else.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number, or nil where the value is something else.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The bytes, or nil where the value is something else.
    public var data: [UInt8]? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The truth value, or nil where the value is something else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The values, or nil where the value is something else.
    public var list: [ItemValue]? {
        if case .list(let value) = self { value } else { nil }
    }

    /// The values by key, or nil where the value is something else.
    public var dictionary: [String: ItemValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}
