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

    /// Whether the contents can be loaded as this type or as one that conforms to it.
    public func hasItemConforming(to type: TypeIdentifier) -> Bool {
        registeredTypeIdentifiers.contains { $0.conforms(to: type) }
    }

    /// Copies the contents.
    ///
    /// - Parameter limit: the most bytes to load. Longer contents are refused, not cut.
    public func loadData(
        forType type: TypeIdentifier, limit: Int = ItemContents.standardLimit
    ) throws(ItemFailure) -> [UInt8] {
        guard hasItemConforming(to: type) else { throw .noSuchType(type, offered: registeredTypeIdentifiers) }
        return try contents.load(limit: limit)
    }
}
