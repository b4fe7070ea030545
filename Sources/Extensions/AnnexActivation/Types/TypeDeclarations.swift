package import AnnexModel

/// The types that an app declares in its `Info.plist`: `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`.
package struct TypeDeclarations: Sendable {
    /// A declared type.
    package struct Declaration: Sendable, Hashable {
        package let type: TypeIdentifier
        package let parents: [TypeIdentifier]
        package let filenameExtensions: [String]
        package let mimeTypes: [String]
    }

    package private(set) var declarations: [Declaration] = []
    /// The faults of declarations that are left out, each in one line.
    package private(set) var faults: [String] = []

    package static let exported = "UTExportedTypeDeclarations"
    package static let imported = "UTImportedTypeDeclarations"
    /// The keys of an app's `Info.plist` that declare types. The exported types, which are the app's own, come before
    /// the imported types.
    package static let keys = [exported, imported]
    /// The most types under each key. `mostTags` is the most parents of one type, and also the most filename
    /// extensions and the most MIME types.
    private static let most = 64
    private static let mostTags = 16
    /// Prefixes of identifiers that no app can declare, because these identifiers mean the same on each machine.
    private static let reserved = ["public.", "com.apple.", "dyn."]

    /// Reads the declarations of an app. Wrong declarations are left out, and `faults` names them.
    ///
    /// - Parameter info: the values of the app's `Info.plist`.
    package init(info: [String: ItemValue]) {
        for key in Self.keys {
            guard let value = info[key] else { continue }
            guard let list = value.list else {
                faults.append("\(key) is not an array")
                continue
            }
            if list.count > Self.most { faults.append("\(key) has more than \(Self.most) types: the rest is left out") }
            for (index, one) in list.prefix(Self.most).enumerated() {
                add(one, isExported: key == Self.exported, place: "\(key)[\(index)]")
            }
        }
    }

    /// The declarations whose identifiers meet a condition. The condition gets each identifier in lower case.
    package func only(_ condition: (_ identifier: String) -> Bool) -> TypeDeclarations {
        var some = self
        some.declarations.removeAll { !condition($0.type.rawValue.lowercased()) }
        return some
    }

    private mutating func add(_ value: ItemValue, isExported: Bool, place: String) {
        guard let values = value.dictionary, let name = values["UTTypeIdentifier"]?.string else {
            faults.append("\(place) has no UTTypeIdentifier")
            return
        }
        let type = TypeIdentifier(rawValue: name)
        guard type.isWellFormed else {
            faults.append("\(place) is \(type), which is not a type identifier")
            return
        }
        guard !Self.reserved.contains(where: name.lowercased().hasPrefix) else {
            // Many apps import a type of the system, because other systems lack this type. That is not a fault.
            if isExported { faults.append("\(place) is \(type), but apps cannot declare types of the system") }
            return
        }
        let tags = values["UTTypeTagSpecification"]?.dictionary ?? [:]
        declarations.append(
            Declaration(
                type: type,
                parents: Self.texts(values["UTTypeConformsTo"]).map(TypeIdentifier.init(rawValue:)).filter(
                    \.isWellFormed),
                filenameExtensions: Self.texts(tags["public.filename-extension"]),
                mimeTypes: Self.texts(tags["public.mime-type"])))
    }

    /// Reads one text or a list of texts.
    private static func texts(_ value: ItemValue?) -> [String] {
        let all = value?.string.map { [$0] } ?? value?.list?.compactMap(\.string) ?? []
        return all.prefix(mostTags).filter { (1...255).contains($0.utf8.count) }
    }
}

extension TypeTable {
    /// The most types of all apps together, and the most parents of these types. Further types are left out.
    private static let mostDeclared = 4_096
    private static let mostDeclaredParents = 8_192

    /// This table with the types that apps declare, in the order of the apps. An app cannot change a type, a filename
    /// extension or a MIME type that the table already has.
    package func adding(_ all: [TypeDeclarations]) -> TypeTable {
        var table = self
        // The types that the declarations so far name as parents. A new type can close a circle only if an earlier
        // type names the new type as a parent. So only a type in this set needs the slow check.
        var named: Set<String> = []
        var (types, parents) = (0, 0)
        for one in all.lazy.flatMap(\.declarations) where !table.has(one.type) {
            types += 1
            parents += one.parents.count
            guard types <= Self.mostDeclared, parents <= Self.mostDeclaredParents else { break }
            let closesCircle = named.contains(one.type.rawValue.lowercased())
            // A type that is a kind of itself would have no meaning. So the parent that closes the circle is removed.
            // The other members of the circle stay.
            let kinds = one.parents.filter { $0 != one.type && !(closesCircle && table.conforms($0, to: one.type)) }
            named.formUnion(kinds.map { $0.rawValue.lowercased() })
            table.add(
                one.type, conformingTo: kinds, filenameExtensions: table.free(one.filenameExtensions),
                mimeTypes: one.mimeTypes)
        }
        return table
    }

    /// The endings that an app may declare. Such an ending is unknown to the table, and so is each of its parts after
    /// a dot. The longest ending of a file's name decides the file's type. So without this check, an app could
    /// declare the ending `final.png`, and files with this ending would no longer count as pictures.
    private func free(_ endings: [String]) -> [String] { endings.filter { type(ofFile: "x.\($0)") == nil } }
}
