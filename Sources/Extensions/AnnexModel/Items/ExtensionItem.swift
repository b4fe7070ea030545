public import AnnexChannel

/// The unit that a host sends to an extension and gets back: text, attachments and a few small values.
public struct ExtensionItem: Sendable {
    /// A title for the item; nil if the item has no title.
    public var attributedTitle: AttributedText?
    /// The item's main text; nil if the item has no text.
    public var attributedContentText: AttributedText?
    /// Files and memory that are sent beside the item's message.
    public var attachments: [ItemProvider]
    /// Small values by key. The host and the extension agree on the keys. Send large values as attachments.
    public var userInfo: [String: ItemValue]

    public init(
        attributedTitle: AttributedText? = nil, attributedContentText: AttributedText? = nil,
        attachments: [ItemProvider] = [], userInfo: [String: ItemValue] = [:]
    ) {
        self.attributedTitle = attributedTitle
        self.attributedContentText = attributedContentText
        self.attachments = attachments
        self.userInfo = userInfo
    }

    /// Creates an item that holds only text.
    public init(contentText: String) {
        self.init(attributedContentText: AttributedText(contentText))
    }

    /// The content text without attributes.
    public var contentText: String? { attributedContentText?.string }
}

/// The text of an item. The type holds plain text for now. Attributes can be added to the type later without breaking
/// code that uses it.
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
