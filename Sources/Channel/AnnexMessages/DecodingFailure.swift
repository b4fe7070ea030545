/// Why bytes could not be decoded as a message.
public struct DecodingFailure: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// The bytes end inside a field.
        case truncated
        /// The message is longer than the decoder's limit, in bytes.
        case tooLong(limit: Int)
        /// The message has more fields than the decoder's limit.
        case tooManyFields(limit: Int)
        /// The message is nested deeper than the decoder's limit.
        case tooDeep(limit: Int)
        /// A required field is missing.
        case missingField
        /// A field that may appear only once appears again.
        case repeatedField
        /// A field of a fixed size has a different size. `expected` is the right size in bytes.
        case wrongSize(expected: Int)
        /// A text field is not UTF-8.
        case notText
        /// A field's value is not allowed.
        case rejected(StaticText)
    }

    /// The place of the failure, in bytes from the start of the whole message.
    public let offset: Int
    /// The tag of the field that failed; nil if the failure belongs to no field.
    public let tag: UInt16?
    public let reason: Reason

    public init(offset: Int, tag: UInt16? = nil, reason: Reason) {
        self.offset = offset
        self.tag = tag
        self.reason = reason
    }
}

extension DecodingFailure: CustomStringConvertible {
    public var description: String {
        let place = tag.map { "field \($0) at byte \(offset)" } ?? "byte \(offset)"
        return "\(place): \(reason.text)"
    }
}

extension DecodingFailure.Reason {
    fileprivate var text: String {
        switch self {
        case .truncated: "the bytes end inside a field"
        case .tooLong(let limit): "the message is longer than \(limit) bytes"
        case .tooManyFields(let limit): "the message has more than \(limit) fields"
        case .tooDeep(let limit): "the message is nested deeper than \(limit) levels"
        case .missingField: "is missing"
        case .repeatedField: "appears more than once"
        case .wrongSize(let expected): "is not \(expected) bytes long"
        case .notText: "is not UTF-8"
        case .rejected(let text): text.description
        }
    }
}

/// Text from the program's own source. It never comes from a peer, so it may be printed unescaped.
public struct StaticText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    public init(stringLiteral value: StaticString) {
        description = value.description
    }
}
