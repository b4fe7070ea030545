public import AnnexModel

/// The uniform types that a host knows. The table says which types are kinds of other types, and which types belong
/// to file names and MIME types.
///
/// `TypeTable.system` has the built-in types and the types of the system's shared-mime-info database. If a table does
/// not have a type, the type conforms only to itself.
public struct TypeTable: Sendable {
    /// The direct parents of each type. The key is the type's identifier in lower case, because comparisons of
    /// identifiers ignore case.
    private var parents: [String: [TypeIdentifier]] = [:]
    private var filenameExtensions: [String: TypeIdentifier] = [:]
    private var filenames: [String: TypeIdentifier] = [:]
    private var mimeTypes: [String: TypeIdentifier] = [:]

    /// The most ancestors of a type. Further ancestors are left out.
    private static let mostAncestors = 256

    /// The table with only the types that Annex contains.
    public static let builtIn = TypeTable()

    /// The built-in types and, if `/usr/share/mime` exists, the types of that database. The database is read once, at
    /// the first use.
    public static let system = TypeTable.builtIn.adding(SharedMIMEInfo(folder: "/usr/share/mime"))

    private init() {
        for (identifier, parents) in TypeIdentifier.builtIn { self.parents[identifier] = parents }
        for known in KnownType.all {
            let identifier = TypeIdentifier(rawValue: known.identifier)
            if parents[known.identifier.lowercased()] == nil {
                parents[known.identifier.lowercased()] = known.parents.map(TypeIdentifier.init(rawValue:))
            }
            for ending in known.filenameExtensions { setIfFree(filenameExtension: ending, to: identifier) }
            for name in known.mimeTypes { setIfFree(mimeType: name, to: identifier) }
        }
        for row in TypeIdentifier.filenameExtensions {
            for ending in row.spellings { setIfFree(filenameExtension: ending, to: row.type) }
        }
    }

    // MARK: Asking

    /// Whether a type is the same as the other type, or a kind of the other type.
    public func conforms(_ type: TypeIdentifier, to other: TypeIdentifier) -> Bool {
        ancestors(of: type).contains(other.rawValue.lowercased())
    }

    /// The type of a file with this name; nil if the table knows neither the name nor an ending of the name.
    public func type(ofFile name: String) -> TypeIdentifier? {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        // No file has a longer name. Without this check, each dot of a longer name would take time.
        guard last.utf8.count <= 255 else { return nil }
        let lower = last.lowercased()
        if let type = filenames[lower] { return type }
        var rest = Substring(lower)
        // The longest ending decides: `.tar.gz` before `.gz`.
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if let type = filenameExtensions[String(rest)] { return type }
        }
        return nil
    }

    /// The type of a MIME type, for example `public.jpeg` for `image/jpeg`; nil if the table does not know the MIME
    /// type.
    public func type(ofMIME name: String) -> TypeIdentifier? { mimeTypes[name.lowercased()] }

    /// The type and all types that it is a kind of, in lower case.
    package func ancestors(of type: TypeIdentifier) -> Set<String> {
        var found: Set<String> = [type.rawValue.lowercased()]
        var next = [type.rawValue.lowercased()]
        while let one = next.popLast() {
            for parent in parents[one] ?? [] where found.count < Self.mostAncestors {
                let name = parent.rawValue.lowercased()
                if found.insert(name).inserted { next.append(name) }
            }
        }
        return found
    }

    /// Whether the table has an entry for the type itself.
    package func has(_ type: TypeIdentifier) -> Bool { parents[type.rawValue.lowercased()] != nil }

    // MARK: Filling

    /// Adds a type. If the table already has the type, its entry stays unchanged. A filename extension or MIME type
    /// that already belongs to a type stays with that type.
    package mutating func add(
        _ type: TypeIdentifier, conformingTo more: [TypeIdentifier], filenameExtensions endings: [String] = [],
        mimeTypes names: [String] = []
    ) {
        if !has(type) { parents[type.rawValue.lowercased()] = more }
        for ending in endings { setIfFree(filenameExtension: ending, to: type) }
        for name in names { setIfFree(mimeType: name, to: type) }
    }

    package mutating func setIfFree(filenameExtension ending: String, to type: TypeIdentifier) {
        let lower = ending.lowercased()
        if filenameExtensions[lower] == nil { filenameExtensions[lower] = type }
    }

    package mutating func setIfFree(filename name: String, to type: TypeIdentifier) {
        let lower = name.lowercased()
        if filenames[lower] == nil { filenames[lower] = type }
    }

    package mutating func setIfFree(mimeType name: String, to type: TypeIdentifier) {
        let lower = name.lowercased()
        if mimeTypes[lower] == nil { mimeTypes[lower] = type }
    }
}
