internal import AnnexLinux

/// A small value in an item's user info or in shared defaults: any value of a property list.
public indirect enum ItemValue: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
    case data([UInt8])
    case date(ItemDate)
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

    /// If a key is given twice, the last value is kept.
    public init(dictionaryLiteral elements: (String, ItemValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}

extension ItemValue: CustomStringConvertible {
    /// A readable form that is safe to show: texts in quotation marks and escaped, lists in brackets, dictionaries with
    /// sorted keys, the number of bytes in place of the bytes.
    public var description: String {
        switch self {
        case .string(let value): Self.quoted(value)
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .data(let value): value.count == 1 ? "1 byte" : "\(value.count) bytes"
        case .date(let value): "\(value.secondsSince1970) s since 1970"
        case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .dictionary(let values):
            values.isEmpty
                ? "[:]"
                : "["
                    + values.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)): \($0.value)" }
                    .joined(separator: ", ") + "]"
        }
    }

    private static func quoted(_ text: String) -> String { "\(Escaped(quoting: text.utf8))" }
}

extension ItemValue {
    /// The text; nil if the value is of another kind.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number; nil if the value is of another kind.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The bytes; nil if the value is of another kind.
    public var data: [UInt8]? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The number; nil if the value is of another kind. A whole number counts too.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    /// The date; nil if the value is of another kind.
    public var date: ItemDate? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The truth value; nil if the value is of another kind.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The values; nil if the value is of another kind.
    public var list: [ItemValue]? {
        if case .list(let value) = self { value } else { nil }
    }

    /// The values by key; nil if the value is of another kind.
    public var dictionary: [String: ItemValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }
}

/// A date and time. `Foundation.Date(timeIntervalSince1970:)` can be created from its number of seconds.
public struct ItemDate: Sendable, Hashable, Comparable {
    /// Seconds since the beginning of 1970 in UTC.
    public let secondsSince1970: Double

    public init(secondsSince1970: Double) {
        self.secondsSince1970 = secondsSince1970
    }

    public static func < (one: ItemDate, other: ItemDate) -> Bool { one.secondsSince1970 < other.secondsSince1970 }
}
