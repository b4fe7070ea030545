public import AnnexChannel

/// Text of an item. It holds plain text for now; attributes can be added later without breaking its users.
public struct AttributedText: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The characters without attributes.
    public var string: String

    public init(_ string: String) {
        self.string = string
    }

    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension AttributedText: Message {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(string, as: 1)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        string = try decoder.decode(1)
    }
}
