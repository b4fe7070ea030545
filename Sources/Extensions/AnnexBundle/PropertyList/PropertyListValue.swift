/// A value of a property list.
public indirect enum PropertyListValue: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    /// A date of a binary list, as seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// A date of an XML list, as its ISO 8601 text.
    case dateText(String)
    case data([UInt8])
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

extension PropertyListValue {
    /// The text; nil if the value is of another kind.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The values; nil if the value is of another kind.
    public var array: [PropertyListValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The values by key; nil if the value is of another kind.
    public var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The kind of the value, for messages.
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
    /// Reads an XML or binary property list from an untrusted source. Hostile input makes the reader throw, but never
    /// trap.
    ///
    /// Foundation's reader is not safe for hostile input. It does not finish reading a binary list of 300 bytes in
    /// which each of forty arrays refers twice to the next array. This reader counts each value and its bytes as
    /// often as the list refers to them, so such a list exceeds the reader's limits.
    public init(_ bytes: [UInt8]) throws(PropertyListFailure) {
        try self.init(bytes, within: .ordinary)
    }

    /// Reads a list with other limits than the ordinary limits.
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

/// Why a file is not a valid property list.
public struct PropertyListFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The offset of the fault, in bytes from the file's start.
    public let offset: Int
    /// The fault at that offset, in a line.
    public let what: String

    init(at offset: Int, _ what: String) {
        self.offset = offset
        self.what = what
    }

    public var description: String { "byte \(offset): \(what)" }
}
