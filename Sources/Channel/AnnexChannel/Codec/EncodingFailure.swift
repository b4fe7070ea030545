/// Why a value has no wire form: it would be refused by every reader with the same limits.
public enum EncodingFailure: Error, Sendable, Hashable {
    /// Longer than this many bytes.
    case tooLong(limit: Int)
    /// More fields than this.
    case tooManyFields(limit: Int)
    /// Nested deeper than this.
    case tooDeep(limit: Int)
}

extension EncodingFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit): "the message would be longer than \(limit) bytes"
        case .tooManyFields(let limit): "the message would have more than \(limit) fields"
        case .tooDeep(let limit): "the message would nest deeper than \(limit) levels"
        }
    }
}
