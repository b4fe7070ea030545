/// An attachment: contents in one or several representations, and a name for them.
///
/// The extension loads the representations that it needs. If the other representations are on demand, they are never
/// opened.
public struct ItemProvider: Sendable {
    /// The representations, at least one. The best representation comes first.
    public let representations: [ItemRepresentation]
    /// A name for a file with the contents. The name comes from another program, so never open it as a path.
    public let suggestedName: String?

    /// Offers contents as an attachment.
    ///
    /// - Parameters:
    ///   - contents: a file or sealed memory.
    ///   - types: the types that the contents can be loaded as. The best type comes first.
    ///   - suggestedName: a name for a file with the contents.
    public init(contents: ItemContents, types: [TypeIdentifier], suggestedName: String? = nil) {
        self.init(ItemRepresentation(contents, types: types), suggestedName: suggestedName)
    }

    /// Offers contents in several representations.
    ///
    /// - Parameters:
    ///   - first: the representation that is closest to the original.
    ///   - others: further representations. The best of them comes first.
    ///   - suggestedName: a name for a file with the contents.
    public init(_ first: ItemRepresentation, alternatives others: ItemRepresentation..., suggestedName: String? = nil) {
        representations = [first] + others
        self.suggestedName = suggestedName
    }

    package init?(representations: [ItemRepresentation], suggestedName: String?) {
        guard !representations.isEmpty else { return nil }
        self.representations = representations
        self.suggestedName = suggestedName
    }

    /// The types that the contents can be loaded as. The best type comes first.
    public var registeredTypeIdentifiers: [TypeIdentifier] { representations.flatMap(\.types) }

    /// The contents of the first representation, for callers that read in their own way.
    public var contents: ItemContents { representations[0].contents }

    /// Whether the contents can be loaded as this type, or as a type that conforms to it.
    public func hasItemConforming(to type: TypeIdentifier) -> Bool {
        registeredTypeIdentifiers.contains { $0.conforms(to: type) }
    }
}

/// One form of an attachment: contents, and the types of these bytes.
public struct ItemRepresentation: Sendable {
    /// The types. The best type comes first.
    public let types: [TypeIdentifier]
    public let contents: ItemContents

    public init(_ contents: ItemContents, types: [TypeIdentifier]) {
        self.contents = contents
        self.types = types
    }

    /// The size in bytes; nil if the size is not known before the contents are opened.
    public var knownCount: Int? { contents.knownCount }
}

extension ItemProvider {
    /// The first representation of this type or of a type that conforms to it.
    public func representation(forType type: TypeIdentifier) throws(ItemFailure) -> ItemRepresentation {
        guard let found = representations.first(where: { $0.types.contains { $0.conforms(to: type) } }) else {
            throw .noSuchType(type, offered: registeredTypeIdentifiers)
        }
        return found
    }

    /// The best form in which this object can be loaded.
    func bestType(for object: (some ItemObject).Type) throws(ItemFailure) -> TypeIdentifier {
        for type in object.readableTypes where hasItemConforming(to: type) { return type }
        throw .noSuchType(object.readableTypes.first ?? .data, offered: registeredTypeIdentifiers)
    }
}

// Loads that block the thread. In an async function, the compiler takes the forms that await.
extension ItemProvider {
    /// Loads the first representation that conforms to the type. If the representation is on demand, the call asks
    /// the host for the contents.
    ///
    /// The call blocks this thread, and answers the host's watchdog meanwhile. The host refuses the load if it
    /// already has the answer to the request, or if it has withdrawn the item.
    /// - Parameters:
    ///   - type: the wanted type.
    ///   - timeout: how long to wait at most. If this parameter is nil, the time limit of the loader in the host
    ///     applies.
    ///   - progress: gets the loader's progress from 0 to 1, several times a second. If the closure returns false,
    ///     the load is cancelled.
    /// - Returns: open contents.
    public func loadItem(
        forType type: TypeIdentifier, timeout: Duration? = nil, progress: @escaping (Double) -> Bool = { _ in true }
    ) throws(ItemFailure) -> ItemContents {
        let contents = try representation(forType: type).contents
        _ = try contents.open(LoadWaiting(timeout: timeout, progress: progress))
        return contents
    }

    /// Loads a representation and copies its bytes.
    ///
    /// - Parameters:
    ///   - type: the wanted type.
    ///   - limit: the most bytes to load. If the contents are longer, the call throws an error and does not cut them.
    public func loadData(
        forType type: TypeIdentifier, limit: Int = ItemContents.standardLimit
    ) throws(ItemFailure) -> [UInt8] {
        // The bytes are copied, so the file is not kept open. An open file would count against the extension's limit of
        // descriptors.
        let opened = try representation(forType: type).contents.lend(LoadWaiting())
        return try ItemContents.bytes(of: opened, limit: limit)
    }

    /// Loads a representation, and lends its file, open for reading only, to a closure.
    public func loadFile<Result>(
        forType type: TypeIdentifier, _ body: (_ file: CInt) throws -> Result
    ) throws -> Result {
        try loadItem(forType: type).withFileDescriptor(body)
    }

    /// Loads a typed object: text, a URL, or a property value.
    ///
    /// - Parameter limit: the most bytes to load.
    /// - Throws: `noSuchType` if no representation can be such an object; `malformed` if the bytes are not such an
    ///   object.
    public func loadObject<Object: ItemObject>(
        ofType _: Object.Type = Object.self, limit: Int = ItemContents.standardLimit
    ) throws(ItemFailure) -> Object {
        try Object(itemData: loadData(forType: bestType(for: Object.self), limit: limit))
    }
}
