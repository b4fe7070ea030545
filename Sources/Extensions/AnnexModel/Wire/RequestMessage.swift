package import AnnexChannel

/// The message with which a host begins a request.
package struct RequestMessage: Message {
    /// The method number of the call that carries this message.
    package static let method = ReservedMethods.items

    private enum Tag {
        static let item: UInt16 = 1
        static let pages: UInt16 = 2
        static let progress: UInt16 = 3
    }

    private var items: ListedItems
    /// The number that the extension's progress reports must carry; 0 if the host wants no reports.
    package let progress: UInt64

    package init(_ items: [ExtensionItem], collecting contents: inout ContentsList, progress: UInt64 = 0) {
        self.progress = progress
        self.items = .inside(items.map { ItemMessage($0, collecting: &contents) })
    }

    package func encode(into encoder: inout MessageEncoder) {
        switch items {
        case .inside(let items): encoder.encode(list: items, as: Tag.item)
        case .pages(let index): encoder.encode(index, as: Tag.pages)
        }
        if progress != 0 { encoder.encode(progress, as: Tag.progress) }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let list: [ItemMessage] = try decoder.decodeList(Tag.item)
        let pages: UInt32? = try decoder.decodeIfPresent(Tag.pages)
        items = pages.map { .pages($0) } ?? .inside(list)
        progress = try decoder.decode(Tag.progress, default: 0)
    }

    /// The items. `contents` holds the files and memory that arrived with the message.
    package func inputItems(with contents: ContentsList) throws(DecodingFailure) -> [ExtensionItem] {
        try items.items(with: contents)
    }

    /// The request with its items in pages; nil if the items do not fit into pages either.
    package func paged(collecting contents: inout ContentsList) throws(ItemFailure) -> RequestMessage? {
        guard let pages = try items.paged(collecting: &contents) else { return nil }
        var request = self
        request.items = pages
        return request
    }
}

/// The answer of an extension to a request: items, or an error.
package enum ReplyMessage: Message {
    case completed(ListedItems)
    case cancelled(ExtensionError)

    private enum Tag {
        static let item: UInt16 = 1
        static let error: UInt16 = 2
        static let completed: UInt16 = 3
        static let pages: UInt16 = 4
    }

    package init(_ items: [ExtensionItem], collecting contents: inout ContentsList) {
        self = .completed(.inside(items.map { ItemMessage($0, collecting: &contents) }))
    }

    package func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .completed(let items):
            encoder.encode(true, as: Tag.completed)
            switch items {
            case .inside(let items): encoder.encode(list: items, as: Tag.item)
            case .pages(let index): encoder.encode(index, as: Tag.pages)
            }
        case .cancelled(let error): encoder.encode(error, as: Tag.error)
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        if let error = try decoder.decodeIfPresent(Tag.error, as: ExtensionError.self) {
            self = .cancelled(error)
        } else {
            // An empty message is refused, so that it does not count as a result without items.
            guard try decoder.decode(Tag.completed) else {
                throw decoder.failure(Tag.completed, reason: .rejected("neither completed nor an error"))
            }
            let list: [ItemMessage] = try decoder.decodeList(Tag.item)
            let pages: UInt32? = try decoder.decodeIfPresent(Tag.pages)
            self = .completed(pages.map { .pages($0) } ?? .inside(list))
        }
    }

    /// The items or the error. `contents` holds the files and memory that arrived with the message.
    package func result(
        with contents: ContentsList
    ) throws(DecodingFailure) -> Result<[ExtensionItem], ExtensionError> {
        switch self {
        case .cancelled(let error): .failure(error)
        case .completed(let items): .success(try items.items(with: contents))
        }
    }

    /// The answer with its items in pages; nil if the items do not fit into pages either, or if the answer is an error.
    package func paged(collecting contents: inout ContentsList) throws(ItemFailure) -> ReplyMessage? {
        guard case .completed(let items) = self else { return nil }
        return try items.paged(collecting: &contents).map { .completed($0) }
    }
}
