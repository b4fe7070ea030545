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
    /// Foundation's reader is not used, because a bundle is hostile input. A binary list of 300 bytes whose forty arrays
    /// each refer twice to the next keeps it busy for ever. Here values and bytes count as often as they are referred to.
    public init(_ bytes: [UInt8]) throws(PropertyListFailure) {
        try self.init(bytes, within: .ordinary)
    }

    /// The same for a list that may ask for more or less.
    package init(_ bytes: [UInt8], within limits: PropertyListLimits) throws(PropertyListFailure) {
        guard bytes.count <= limits.bytes else {
            throw PropertyListFailure(at: 0, "longer than \(limits.bytes) bytes")
        }
        if bytes.starts(with: "bplist".utf8) {
            var reader = try BinaryPropertyListReader(bytes, within: limits)
            self = try reader.root()
        } else {
            var reader = try XMLPropertyListReader(bytes, within: limits)
            self = try reader.document()
        }
    }
}
