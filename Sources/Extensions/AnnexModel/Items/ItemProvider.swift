/// An attachment: what kinds of content it offers, a name for it, and the contents themselves.
///
/// Contents travel beside the message, as a read-only file or as sealed memory, and are read only when asked for.
public struct ItemProvider: Sendable {
    /// The types that the contents can be loaded as, best first.
    public let registeredTypeIdentifiers: [TypeIdentifier]
    /// What a file with the contents might be called: a stranger's text, never a path to open.
    public let suggestedName: String?
    /// The contents, for a reader of its own; `loadData(forType:)` serves most.
    public let contents: ItemContents

    public init(contents: ItemContents, types: [TypeIdentifier], suggestedName: String? = nil) {
        self.contents = contents
        registeredTypeIdentifiers = types
        self.suggestedName = suggestedName
    }

    /// Whether the contents can be loaded as this type or as a kind of it.
    public func hasItemConforming(to type: TypeIdentifier) -> Bool {
        registeredTypeIdentifiers.contains { $0.conforms(to: type) }
    }

    /// A private copy of the contents.
    ///
    /// - Parameter limit: most bytes to load; longer contents are refused, not cut.
    public func loadData(
        forType type: TypeIdentifier, limit: Int = ItemContents.standardLimit
    ) throws(ItemFailure) -> [UInt8] {
        guard hasItemConforming(to: type) else { throw .noSuchType(type, offered: registeredTypeIdentifiers) }
        return try contents.load(limit: limit)
    }
}
