package import AnnexChannel

/// An `ExtensionItem` as a message. The contents of its attachments are sent beside the message or are offered. For
/// contents that are sent beside the message, the message holds an index. For offered contents, the message holds the
/// number of the offer.
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
    /// Converts an item to a message. The contents of the item's attachments are added to `contents`.
    package init(_ item: ExtensionItem, collecting contents: inout ContentsList) {
        title = item.attributedTitle
        contentText = item.attributedContentText
        var attachments: [ProviderMessage] = []
        for provider in item.attachments {
            attachments.append(ProviderMessage(provider, collecting: &contents))
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

/// An `ItemProvider` as a message. The contents of its representations are sent beside the message or are offered.
/// For contents that are sent beside the message, the message holds an index. For offered contents, the message holds
/// the number of the offer.
///
/// If there is only one representation, and its contents are sent beside the message, the encoding has a short form.
/// The short form is older than the general form.
package struct ProviderMessage: Message {
    private enum Tag {
        static let type: UInt16 = 1
        static let suggestedName: UInt16 = 2
        static let contents: UInt16 = 3
        static let representation: UInt16 = 4
    }

    private let suggestedName: String?
    private let representations: [RepresentationMessage]

    init(_ provider: ItemProvider, collecting contents: inout ContentsList) {
        suggestedName = provider.suggestedName
        var representations: [RepresentationMessage] = []
        for one in provider.representations {
            representations.append(RepresentationMessage(one, at: contents.delivery(of: one.contents)))
        }
        self.representations = representations
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(suggestedName, as: Tag.suggestedName)
        if representations.count == 1, case .beside(let index) = representations[0].place {
            encoder.encode(list: representations[0].types, as: Tag.type)
            encoder.encode(index, as: Tag.contents)
        } else {
            encoder.encode(list: representations, as: Tag.representation)
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let types: [TypeIdentifier] = try decoder.decodeList(Tag.type)
        suggestedName = try decoder.decodeIfPresent(Tag.suggestedName)
        let index: UInt32? = try decoder.decodeIfPresent(Tag.contents)
        let list: [RepresentationMessage] = try decoder.decodeList(Tag.representation)
        if let index {
            guard list.isEmpty else { throw decoder.failure(Tag.contents, reason: .rejected("has both forms")) }
            representations = [RepresentationMessage(types: types, beside: index)]
        } else {
            guard !list.isEmpty, types.isEmpty else {
                throw decoder.failure(Tag.representation, reason: .rejected("has no contents"))
            }
            representations = list
        }
    }

    func provider(with list: ContentsList) throws(DecodingFailure) -> ItemProvider {
        var found: [ItemRepresentation] = []
        for one in representations { found.append(try one.representation(with: list)) }
        guard let provider = ItemProvider(representations: found, suggestedName: suggestedName) else {
            let reason = DecodingFailure.Reason.rejected("has no contents")
            throw DecodingFailure(offset: 0, tag: Tag.representation, reason: reason)
        }
        return provider
    }
}

/// One representation of an attachment, as a message.
package struct RepresentationMessage: Message {
    private enum Tag {
        static let type: UInt16 = 1
        static let index: UInt16 = 2
        static let number: UInt16 = 3
        static let size: UInt16 = 4
        static let isEditable: UInt16 = 5
    }

    let types: [TypeIdentifier]
    let place: ContentsList.Delivery
    private let size: UInt64?
    private let isEditable: Bool

    init(_ one: ItemRepresentation, at place: ContentsList.Delivery) {
        types = one.types
        self.place = place
        size = one.knownCount.map { UInt64(clamping: $0) }
        isEditable = one.contents.isEditable
    }

    init(types: [TypeIdentifier], beside index: UInt32) {
        self.types = types
        place = .beside(index)
        size = nil
        isEditable = false
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: types, as: Tag.type)
        switch place {
        case .beside(let index): encoder.encode(index, as: Tag.index)
        case .offered(let number):
            encoder.encode(number, as: Tag.number)
            encoder.encode(size, as: Tag.size)
            if isEditable { encoder.encode(true, as: Tag.isEditable) }
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        types = try decoder.decodeList(Tag.type)
        let index: UInt32? = try decoder.decodeIfPresent(Tag.index)
        let number: UInt64? = try decoder.decodeIfPresent(Tag.number)
        size = try decoder.decodeIfPresent(Tag.size)
        isEditable = try decoder.decode(Tag.isEditable, default: false)
        switch (index, number) {
        case (let index?, nil): place = .beside(index)
        case (nil, let number?): place = .offered(number)
        default: throw decoder.failure(Tag.index, reason: .rejected("must have either an index or a number"))
        }
    }

    func representation(with list: ContentsList) throws(DecodingFailure) -> ItemRepresentation {
        let contents: ItemContents? =
            switch place {
            case .beside(let index): list[index]
            case .offered(let number):
                list.contents(
                    of: ItemOffer(number: number, size: size.map { Int(clamping: $0) }, isEditable: isEditable))
            }
        guard let contents else {
            let reason = DecodingFailure.Reason.rejected("names contents that did not arrive with the message")
            throw DecodingFailure(offset: 0, tag: Tag.index, reason: reason)
        }
        return ItemRepresentation(contents, types: types)
    }
}
