internal import AnnexLinux
internal import AnnexModel
internal import Glibc

/// The system's MIME database, shared-mime-info: patterns of file names, parents of types, and aliases of types.
package struct SharedMIMEInfo: Sendable {
    /// The pairs `NAME PATTERN` of `globs2`. The pairs with the highest weight come first.
    let globs: [(type: String, pattern: String)]
    /// The pairs `TYPE PARENT` of `subclasses`.
    let subclasses: [(type: String, parent: String)]
    /// The pairs `ALIAS TYPE` of `aliases`.
    let aliases: [(alias: String, type: String)]

    /// The longest file that is read, and the most lines. The largest file in Debian has 1,200 lines and 40 KiB.
    private static let longestFile = 1 << 20
    private static let mostLines = 16_384

    /// Reads the database in a folder. Files that are missing or too long are left out.
    package init(folder: String) {
        self.init(
            globs: Self.text("\(folder)/globs2"), subclasses: Self.text("\(folder)/subclasses"),
            aliases: Self.text("\(folder)/aliases"))
    }

    /// Reads the texts of the three files. Lines without the expected form are left out.
    package init(globs: String, subclasses: String, aliases: String) {
        self.globs = Self.lines(of: globs).compactMap { line in
            let parts = line.split(separator: ":")
            guard parts.count >= 3, Int(parts[0]) != nil else { return nil }
            return (String(parts[1]), String(parts[2]))
        }
        self.subclasses = Self.pairs(in: subclasses).map { (type: $0, parent: $1) }
        self.aliases = Self.pairs(in: aliases).map { (alias: $0, type: $1) }
    }

    private static func pairs(in text: String) -> [(String, String)] {
        lines(of: text).compactMap { line in
            let parts = line.split(separator: " ")
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", maxSplits: mostLines).prefix(mostLines).filter { !$0.hasPrefix("#") }
    }

    private static func text(_ path: String) -> String {
        let bytes = try? Descriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC).readAll(
            atMost: longestFile)
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension TypeTable {
    /// This table with the types of a MIME database. Existing entries of the table stay unchanged.
    package func adding(_ database: SharedMIMEInfo) -> TypeTable {
        var table = self
        var parents: [String: [String]] = [:]
        for (type, parent) in database.subclasses { parents[type, default: []].append(parent) }
        for (type, pattern) in database.globs {
            let identifier = table.identifier(ofMIME: type, parents: parents)
            if pattern.hasPrefix("*."), pattern.dropFirst(2).allSatisfy(Self.isPlain) {
                table.setIfFree(filenameExtension: String(pattern.dropFirst(2)), to: identifier)
            } else if pattern.allSatisfy(Self.isPlain) {
                table.setIfFree(filename: pattern, to: identifier)
            }
        }
        for (alias, type) in database.aliases {
            table.setIfFree(mimeType: alias, to: table.identifier(ofMIME: type, parents: parents))
        }
        return table
    }

    private static func isPlain(_ character: Character) -> Bool { !"*?[]".contains(character) }

    /// The type that belongs to a MIME type. If the table has no such type, this method adds a type with an identifier
    /// that is made from the MIME type.
    private mutating func identifier(
        ofMIME name: String, parents: [String: [String]], depth: Int = 0
    ) -> TypeIdentifier {
        if let known = type(ofMIME: name) { return known }
        let made = TypeIdentifier(madeOfMIME: name)
        setIfFree(mimeType: name, to: made)
        guard !has(made) else { return made }
        var found = [Self.kind(ofMIME: name)]
        // The recursion also ends if the parents in the database form a circle, because the name got its type above.
        if depth < 16 {
            found += (parents[name] ?? []).prefix(16).map { parent in
                identifier(ofMIME: parent, parents: parents, depth: depth + 1)
            }
        }
        add(made, conformingTo: found)
        return made
    }

    /// The kind that the first part of a MIME type states.
    private static func kind(ofMIME name: String) -> TypeIdentifier {
        switch name.split(separator: "/").first {
        case "image": .image
        case "video": .movie
        case "audio": .audio
        case "text": .text
        case "font": TypeIdentifier(rawValue: "public.font")
        case "inode": .item
        default: .data
        }
    }
}

extension TypeIdentifier {
    /// Creates the identifier of a MIME type that has no uniform type: `dyn.mime.application.x-doom-wad`.
    fileprivate init(madeOfMIME name: String) {
        let letters = name.lowercased().utf8.prefix(240).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): byte
            case UInt8(ascii: "/"): UInt8(ascii: ".")
            default: UInt8(ascii: "-")
            }
        }
        self.init(rawValue: "dyn.mime." + String(decoding: letters, as: UTF8.self))
    }
}
