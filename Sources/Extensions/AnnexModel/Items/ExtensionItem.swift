public import AnnexChannel

/// The unit that a host sends to an extension and gets back: text, attachments and a few small values.
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

/// An attachment: its contents, the types that they can be loaded as, and a name for them.
///
/// Contents travel beside the message, as a read-only file or as sealed memory. They are read only on request.
public struct ItemProvider: Sendable {
    /// The types that the contents can be loaded as, best first.
    public let registeredTypeIdentifiers: [TypeIdentifier]
    /// A name for a file with the contents. It comes from the other side, so never open it as a path.
    public let suggestedName: String?
    /// The contents themselves, for callers that read in their own way. Most callers need only `loadData(forType:)`.
    public let contents: ItemContents

    /// Offers contents as an attachment.
    ///
    /// - Parameters:
    ///   - contents: a file or sealed memory.
    ///   - types: the types that the contents can be loaded as, best first.
    ///   - suggestedName: a name for a file with the contents.
    public init(contents: ItemContents, types: [TypeIdentifier], suggestedName: String? = nil) {
        self.contents = contents
        registeredTypeIdentifiers = types
        self.suggestedName = suggestedName
    }

    /// Whether the contents can be loaded as this type, or as a type that conforms to it.
    public func hasItemConforming(to type: TypeIdentifier) -> Bool {
        registeredTypeIdentifiers.contains { $0.conforms(to: type) }
    }

    /// Copies the contents.
    ///
    /// - Parameter limit: the most bytes to load. Longer contents are an error, and are not cut.
    public func loadData(
        forType type: TypeIdentifier, limit: Int = ItemContents.standardLimit
    ) throws(ItemFailure) -> [UInt8] {
        guard hasItemConforming(to: type) else { throw .noSuchType(type, offered: registeredTypeIdentifiers) }
        return try contents.load(limit: limit)
    }
}
