package import AnnexChannel

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
            let reason = DecodingFailure.Reason.refused("names contents that did not come with the message")
            throw DecodingFailure(offset: 0, tag: Tag.contents, reason: reason)
        }
        return ItemProvider(contents: found, types: types, suggestedName: suggestedName)
    }
}
