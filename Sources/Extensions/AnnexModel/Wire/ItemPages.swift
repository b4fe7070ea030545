internal import AnnexChannel
internal import AnnexLinux

/// A list of items that does not fit into a message. The list is sent in pages, as sealed memory beside the message.
/// Each page begins with its length as a 32-bit number. An `ItemPage` within the limits of a message follows.
package enum ItemPages {
    /// The most bytes of all pages.
    package static let mostBytes = 16 << 20
    /// The most items of all pages.
    package static let mostItems = 65_536

    /// - Returns: nil if a single item is longer than a message, or if the pages exceed their limits.
    static func contents(_ items: [ItemMessage]) throws(ItemFailure) -> ItemContents? {
        var bytes: [UInt8] = []
        guard items.count <= mostItems, append(items[...], to: &bytes) else { return nil }
        return try ItemContents(bytes: bytes)
    }

    private static func append(_ items: ArraySlice<ItemMessage>, to bytes: inout [UInt8]) -> Bool {
        if let page = try? ItemPage(items: Array(items)).encoded() {
            guard bytes.count + page.count + 4 <= mostBytes else { return false }
            let length = UInt32(clamping: page.count)
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
            bytes += page
            return true
        }
        guard items.count > 1 else { return false }
        let middle = items.startIndex + items.count / 2
        return append(items[..<middle], to: &bytes) && append(items[middle...], to: &bytes)
    }

    /// Reads the pages one by one, so that little memory is needed in addition to the items.
    static func items(in contents: ItemContents) throws(DecodingFailure) -> [ItemMessage] {
        var items: [ItemMessage] = []
        var place = 0
        while true {
            let head = try read(contents, at: place, count: 4)
            guard !head.isEmpty else { return items }
            guard head.count == 4 else { throw failure(at: place, "the list of items ends within a page") }
            let length = (0..<4).reduce(0) { $0 | Int(head[$1]) << ($1 * 8) }
            guard length <= MessageLimits.standard.bytes, place + length < mostBytes else {
                throw failure(at: place, "the list of items is too long")
            }
            let page = try read(contents, at: place + 4, count: length)
            guard page.count == length else { throw failure(at: place, "the list of items ends within a page") }
            let found = try ItemPage(decoding: page).items
            // Empty pages are refused. Such pages cost time without any result, and a message could carry millions of
            // them.
            guard !found.isEmpty else { throw failure(at: place, "the list of items has an empty page") }
            items += found
            guard items.count <= mostItems else { throw failure(at: place, "the list of items has too many items") }
            place += 4 + length
        }
    }

    private static func read(
        _ contents: ItemContents, at place: Int, count: Int
    ) throws(DecodingFailure) -> [UInt8] {
        do throws(ItemFailure) {
            return try contents.read(at: place, count: count)
        } catch {
            throw failure(at: place, "the list of items cannot be read")
        }
    }

    static func failure(at offset: Int, _ what: StaticText) -> DecodingFailure {
        DecodingFailure(offset: offset, tag: 1, reason: .rejected(what))
    }
}

/// One page of a long list.
private struct ItemPage: Message {
    let items: [ItemMessage]

    init(items: [ItemMessage]) { self.items = items }

    func encode(into encoder: inout MessageEncoder) { encoder.encode(list: items, as: 1) }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) { items = try decoder.decodeList(1) }
}

/// A list of items that belongs to a message. The list is in the message itself, or in pages beside the message.
package enum ListedItems: Sendable {
    case inside([ItemMessage])
    case pages(UInt32)

    func messages(with contents: ContentsList) throws(DecodingFailure) -> [ItemMessage] {
        switch self {
        case .inside(let items): return items
        case .pages(let index):
            guard let found = contents[index] else {
                throw ItemPages.failure(at: 0, "the list of items did not arrive with the message")
            }
            return try ItemPages.items(in: found)
        }
    }

    func items(with contents: ContentsList) throws(DecodingFailure) -> [ExtensionItem] {
        var result: [ExtensionItem] = []
        for item in try messages(with: contents) { result.append(try item.item(with: contents)) }
        return result
    }

    /// Moves the items into pages.
    /// - Returns: nil if the items do not fit into pages either.
    func paged(collecting contents: inout ContentsList) throws(ItemFailure) -> ListedItems? {
        guard case .inside(let items) = self, let pages = try ItemPages.contents(items) else { return nil }
        return .pages(contents.append(pages))
    }
}
