package import AnnexChannel

/// An `ExtensionItem` on the wire. The contents of its attachments travel beside the message; the message holds their
/// indices.
package struct ItemMessage: Message {
    private enum Tag {
        static let title: UInt16 = 1
        static let contentText: UInt16 = 2
        static let attachment: UInt16 = 3
        static let userInfo: UInt16 = 4
    }

    private let title: AttributedText?
    private let contentText: AttributedText?
    private let attachments: [ProviderMessage]
    private let userInfo: ItemDictionary

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(title, as: Tag.title)
        encoder.encode(contentText, as: Tag.contentText)
        encoder.encode(list: attachments, as: Tag.attachment)
        if !userInfo.values.isEmpty { encoder.encode(userInfo, as: Tag.userInfo) }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        title = try decoder.decodeIfPresent(Tag.title)
        contentText = try decoder.decodeIfPresent(Tag.contentText)
        attachments = try decoder.decodeList(Tag.attachment)
        userInfo = try decoder.decode(Tag.userInfo, default: ItemDictionary(values: [:]))
    }
}

extension ItemMessage {
    /// The wire form of an item. The contents of its attachments are added to `contents`.
    package init(_ item: ExtensionItem, collecting contents: inout ContentsList) {
        title = item.attributedTitle
        contentText = item.attributedContentText
        var attachments: [ProviderMessage] = []
        for provider in item.attachments {
            attachments.append(ProviderMessage(provider, index: contents.index(of: provider.contents)))
        }
        self.attachments = attachments
        userInfo = ItemDictionary(values: item.userInfo)
    }

    /// The item. `contents` holds the files and memory that arrived with the message.
    package func item(with contents: ContentsList) throws(DecodingFailure) -> ExtensionItem {
        var providers: [ItemProvider] = []
        for attachment in attachments { providers.append(try attachment.provider(with: contents)) }
        return ExtensionItem(
            attributedTitle: title, attributedContentText: contentText, attachments: providers,
            userInfo: userInfo.values)
    }
}

/// An `ItemProvider` on the wire. Its contents travel beside the message; the message holds their index.
package struct ProviderMessage: Message {
    private enum Tag {
        static let type: UInt16 = 1
        static let suggestedName: UInt16 = 2
        static let contents: UInt16 = 3
    }

    private let types: [TypeIdentifier]
    private let suggestedName: String?
    private let contents: UInt32

    init(_ provider: ItemProvider, index: UInt32) {
        types = provider.registeredTypeIdentifiers
        suggestedName = provider.suggestedName
        contents = index
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: types, as: Tag.type)
        encoder.encode(suggestedName, as: Tag.suggestedName)
        encoder.encode(contents, as: Tag.contents)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        types = try decoder.decodeList(Tag.type)
        suggestedName = try decoder.decodeIfPresent(Tag.suggestedName)
        contents = try decoder.decode(Tag.contents)
    }

    func provider(with list: ContentsList) throws(DecodingFailure) -> ItemProvider {
        guard let found = list[contents] else {
            let reason = DecodingFailure.Reason.rejected("names contents that did not arrive with the message")
            throw DecodingFailure(offset: 0, tag: Tag.contents, reason: reason)
        }
        return ItemProvider(contents: found, types: types, suggestedName: suggestedName)
    }
}
