/// Why bytes are not the message that they claim to be.
public struct DecodingFailure: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        /// The bytes end inside a field.
        case truncated
        /// The message is longer than its reader's limit, in bytes.
        case tooLong(limit: Int)
        /// More fields than the reader's limit.
        case tooManyFields(limit: Int)
        /// Deeper nesting than the reader's limit.
        case tooDeep(limit: Int)
        /// A field that this message must have is missing.
        case missingField
        /// A field that may appear once appears again.
        case repeatedField
        /// A field of a fixed size has another; in bytes.
        case wrongSize(expected: Int)
        /// Text that is not UTF-8.
        case notText
        /// A value outside what the field allows.
        case refused(StaticText)
    }

    /// Where in the whole message, in bytes from its start.
    public let offset: Int
    /// The field that was read, where the failure is one field's.
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
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .tooManyFields(let limit): "more than \(limit) fields"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .missingField: "is missing"
        case .repeatedField: "appears more than once"
        case .wrongSize(let expected): "is not \(expected) bytes long"
        case .notText: "is not UTF-8"
        case .refused(let text): text.description
        }
    }
}

/// Text written in the program's source: never a peer's words, so it may be shown as it is.
public struct StaticText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    public init(stringLiteral value: StaticString) {
        description = value.description
    }
}
