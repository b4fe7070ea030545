package import AnnexModel

/// The items that a host offers to extensions, in the form that activation rules need: types and counts, but no
/// contents.
///
/// Equal items are kept once, with the number of times that they occur. Equal attachments are kept once too. So a
/// thousand photos of the same types need no more work than one photo.
package struct OfferedItems: Sendable {
    /// An attachment's types.
    struct Attachment: Sendable, Hashable {
        /// The indices of the attachment's types in `types`.
        let types: [Int]
        /// Whether the attachment stands for the text of an item without attachments.
        let isText: Bool
    }

    /// An item's attachments.
    struct Item: Sendable, Hashable {
        /// The indices of the item's attachments in `attachments`, each with the number of times that the attachment
        /// occurs.
        let attachments: [Group]
    }

    /// A type that an attachment offers.
    struct OfferedType: Sendable {
        /// The identifier as the attachment states it.
        let identifier: String
        /// The identifier in lower case.
        let folded: String
        /// The type and all types that it is a kind of, in lower case.
        let ancestors: Set<String>

        init(identifier: String, folded: String, ancestors: Set<String>) {
            self.identifier = identifier
            self.folded = folded
            self.ancestors = ancestors
        }

        /// Creates the type for a text of a predicate. No table is asked for this type, so it is a kind of itself
        /// only.
        init(text: String) {
            let folded = text.lowercased()
            self.init(identifier: text, folded: folded, ancestors: [folded])
        }
    }

    /// A group of equal elements: the index of the element, and how often the element occurs.
    struct Group: Sendable, Hashable {
        let place: Int
        var count: Int
    }

    private(set) var types: [OfferedType] = []
    /// For each of `types`, the kinds of attachments that include this type. They are computed once for all rules.
    private(set) var kinds: [TypeKinds] = []
    private(set) var attachments: [Attachment] = []
    private(set) var items: [Item] = []
    /// All items, in groups of equal items.
    private(set) var groups: [Group] = []
    /// The attachments of all items, in groups of equal attachments.
    private(set) var allAttachments: [Group] = []

    private var typePlaces: [TypeIdentifier: Int] = [:]
    private var attachmentPlaces: [Attachment: Int] = [:]

    /// The most types of one attachment. Further types are left out.
    private static let mostTypes = 64

    /// Reads the items that a host sends. If an item has a text but no attachments, the text counts as an attachment of
    /// the type `public.plain-text`. The text of other items only accompanies their attachments.
    package init(_ items: [ExtensionItem], types table: TypeTable) {
        self.init(
            counting: items.map { item in
                item.attachments.isEmpty && item.contentText != nil
                    ? [([.plainText], true)] : item.attachments.map { ($0.registeredTypeIdentifiers, false) }
            }, types: table)
    }

    /// Creates items with attachments of the given types.
    package init(attachments: [[[TypeIdentifier]]], types table: TypeTable) {
        self.init(counting: attachments.map { item in item.map { ($0, false) } }, types: table)
    }

    private init(counting items: [[(types: [TypeIdentifier], isText: Bool)]], types table: TypeTable) {
        var itemCounts = Counts<Item>()
        var attachmentCounts = Counts<Attachment>()
        for item in items {
            var own = Counts<Attachment>()
            for one in item {
                let places = one.types.prefix(Self.mostTypes).map { place(of: $0, in: table) }
                let attachment = Attachment(types: places, isText: one.isText)
                own.add(attachment)
                attachmentCounts.add(attachment)
            }
            itemCounts.add(Item(attachments: own.all.map { Group(place: place(of: $0.element), count: $0.count) }))
        }
        for (place, one) in itemCounts.all.enumerated() {
            self.items.append(one.element)
            groups.append(Group(place: place, count: one.count))
        }
        allAttachments = attachmentCounts.all.map { Group(place: place(of: $0.element), count: $0.count) }
    }

    /// The number of attachments of all items.
    package var attachmentCount: Int { allAttachments.reduce(0) { $0 + $1.count } }

    private mutating func place(of type: TypeIdentifier, in table: TypeTable) -> Int {
        if let place = typePlaces[type] { return place }
        typePlaces[type] = types.count
        let ancestors = table.ancestors(of: type)
        types.append(
            OfferedType(identifier: type.rawValue, folded: type.rawValue.lowercased(), ancestors: ancestors))
        kinds.append(TypeKinds(ancestors))
        return types.count - 1
    }

    private mutating func place(of attachment: Attachment) -> Int {
        if let place = attachmentPlaces[attachment] { return place }
        attachmentPlaces[attachment] = attachments.count
        attachments.append(attachment)
        return attachments.count - 1
    }
}

/// Counts equal elements. The elements stay in the order of their first appearance.
private struct Counts<Element: Hashable> {
    private(set) var all: [(element: Element, count: Int)] = []
    private var places: [Element: Int] = [:]

    mutating func add(_ element: Element) {
        if let place = places[element] {
            all[place].count += 1
        } else {
            places[element] = all.count
            all.append((element, 1))
        }
    }
}
