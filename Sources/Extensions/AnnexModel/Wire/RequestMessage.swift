package import AnnexChannel

/// The message with which a host begins a request.
package struct RequestMessage: Message {
    /// The method number of the call that carries this message.
    package static let method: UInt16 = 1

    package let items: [ItemMessage]

    package init(_ items: [ExtensionItem], collecting contents: inout ContentsList) {
        self.items = items.map { ItemMessage($0, collecting: &contents) }
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: items, as: 1)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        items = try decoder.decodeList(1)
    }

    /// The items. `contents` holds what arrived with the message.
    package func inputItems(with contents: ContentsList) throws(DecodingFailure) -> [ExtensionItem] {
        var result: [ExtensionItem] = []
        for item in items { result.append(try item.item(with: contents)) }
        return result
    }
}
