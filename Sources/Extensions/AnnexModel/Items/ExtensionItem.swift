/// What a host hands to an extension and gets back: text, attachments and a few small values.
public struct ExtensionItem: Sendable {
    public var attributedTitle: AttributedText?
    public var attributedContentText: AttributedText?
    public var attachments: [ItemProvider]
    /// Small values that both sides agreed on; big ones are attachments.
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

    /// An item of nothing but text.
    public init(contentText: String) {
        self.init(attributedContentText: AttributedText(contentText))
    }

    /// The content text without attributes.
    public var contentText: String? { attributedContentText?.string }
}
