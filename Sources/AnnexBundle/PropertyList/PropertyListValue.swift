/// A value of a property list.
public indirect enum PropertyListValue: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    /// Seconds since 2001-01-01 00:00 UTC in a binary list.
    case date(Double)
    /// A date as an XML list writes it: ISO 8601.
    case dateText(String)
    case data([UInt8])
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// The text, or nil where the value is something else.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The values, or nil where the value is something else.
    public var array: [PropertyListValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The values by key, or nil where the value is something else.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// What the value is, for messages.
    public var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .real: "a real"
        case .boolean: "a boolean"
        case .date, .dateText: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension PropertyListValue {
    /// Reads an XML or binary property list that anybody may have written: gives a value or a failure, never a trap.
    ///
    /// A reader of our own, because a bundle is hostile input: a binary list of 300 bytes whose forty arrays each refer
    /// twice to the next keeps Foundation's reader busy for ever. Values are counted here as often as they are read.
    public init(_ bytes: [UInt8]) throws(PropertyListFailure) {
        guard bytes.count <= PropertyListLimits.bytes else {
            throw PropertyListFailure(at: 0, "longer than \(PropertyListLimits.bytes) bytes")
        }
        if bytes.starts(with: "bplist".utf8) {
            var reader = try BinaryPropertyListReader(bytes)
            self = try reader.root()
        } else {
            var reader = try XMLPropertyListReader(bytes)
            self = try reader.document()
        }
    }
}
