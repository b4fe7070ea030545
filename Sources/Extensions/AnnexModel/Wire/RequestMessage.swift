package import AnnexChannel

/// The message with which a host begins a request.
package struct RequestMessage: Message {
    /// The method number of the call that carries this message.
    package static let method = ReservedMethods.items

    package let items: [ItemMessage]
    /// The number under which the host wants to hear of the progress; 0: it does not want to.
    package let progress: UInt64

    package init(_ items: [ExtensionItem], collecting contents: inout ContentsList, progress: UInt64 = 0) {
        self.progress = progress
        self.items = items.map { ItemMessage($0, collecting: &contents) }
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(list: items, as: 1)
        if progress != 0 { encoder.encode(progress, as: 2) }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        items = try decoder.decodeList(1)
        progress = try decoder.decode(2, default: 0)
    }

    /// The items. `contents` holds the files and memory that arrived with the message.
    package func inputItems(with contents: ContentsList) throws(DecodingFailure) -> [ExtensionItem] {
        var result: [ExtensionItem] = []
        for item in items { result.append(try item.item(with: contents)) }
        return result
    }
}

/// How an extension answers a request: with items, or with an error.
package enum ReplyMessage: Message {
    case completed([ItemMessage])
    case cancelled(ExtensionError)

    private enum Tag {
        static let item: UInt16 = 1
        static let error: UInt16 = 2
        static let completed: UInt16 = 3
    }

    package init(_ items: [ExtensionItem], collecting contents: inout ContentsList) {
        self = .completed(items.map { ItemMessage($0, collecting: &contents) })
    }

    package func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .completed(let items):
            encoder.encode(true, as: Tag.completed)
            encoder.encode(list: items, as: Tag.item)
        case .cancelled(let error): encoder.encode(error, as: Tag.error)
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        if let error = try decoder.decodeIfPresent(Tag.error, as: ExtensionError.self) {
            self = .cancelled(error)
        } else {
            // An empty message must not be decoded as a result without items.
            guard try decoder.decode(Tag.completed) else {
                throw decoder.failure(Tag.completed, reason: .rejected("neither completed nor an error"))
            }
            self = .completed(try decoder.decodeList(Tag.item))
        }
    }

    /// The items or the error. `contents` holds the files and memory that arrived with the message.
    package func result(
        with contents: ContentsList
    ) throws(DecodingFailure) -> Result<[ExtensionItem], ExtensionError> {
        switch self {
        case .cancelled(let error): return .failure(error)
        case .completed(let messages):
            var items: [ExtensionItem] = []
            for message in messages { items.append(try message.item(with: contents)) }
            return .success(items)
        }
    }
}
