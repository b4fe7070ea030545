/// What a host sends to an extension and gets back: text, attachments and a few small values.
public struct ExtensionItem: Sendable {
    /// A title for the item; nil if it has none.
    public var attributedTitle: AttributedText?
    /// The item's main text; nil if it has none.
    public var attributedContentText: AttributedText?
    /// Files and memory that travel beside the item's message.
    public var attachments: [ItemProvider]
    /// Small values whose keys both sides have agreed on. Send big values as attachments.
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
