import Foundation

/// The uses between the folders of a target. If a file names a top-level type, an arrow goes from the file's folder to
/// the folder that declares the type.
///
/// Files that lie in the target's own folder belong to no layer. Three kinds of names give no arrow: members that an extension adds, types
/// that two folders declare, and types inside other types. Only the compiler can resolve those names. So the graph may miss an arrow, but
/// every arrow is correct.
struct FolderGraph {
    /// For each folder, the folders that it uses, each with a reason.
    private var uses: [String: [String: String]] = [:]

    init(files: [(file: String, text: String)], root: String) {
        let parts = files.compactMap { Part($0.file, $0.text, root: root) }
        let types = Self.homes(parts)
        for part in parts {
            for word in part.words {
                guard let home = types[word], home != part.folder else { continue }
                uses[part.folder, default: [:]][home] = "\(part.name) uses \(word)"
            }
        }
    }

    /// The folders that use themselves through other folders.
    var circles: Set<String> {
        Set(uses.keys.filter { reachable(from: $0).contains($0) })
    }

    /// The arrows between these folders, with their reasons.
    func arrows(within folders: Set<String>) -> String {
        uses.filter { folders.contains($0.key) }.sorted { $0.key < $1.key }.flatMap { from, targets in
            targets.filter { folders.contains($0.key) }.sorted { $0.key < $1.key }.map {
                "\(from) → \($0.key) (\($0.value))"
            }
        }.joined(separator: "; ")
    }

    private func reachable(from start: String) -> Set<String> {
        var found: Set<String> = []
        var waiting = [start]
        while let next = waiting.popLast() {
            for folder in (uses[next] ?? [:]).keys where found.insert(folder).inserted { waiting.append(folder) }
        }
        return found
    }

    /// The types that a source declares at its top level, without the types that only its own file sees.
    static func types(in text: String) -> Set<String> {
        let type =
            #/(?m)^(?:@\w+(?:\([^)]*\))? +|(?:public|package|internal|final|indirect) +)*(?:struct|class|enum|actor|protocol|typealias) +(\w+)/#
        return Set(text.matches(of: type).map { String($0.1) })
    }

    /// The folder that declares each type. Names that several folders declare are omitted.
    private static func homes(_ parts: [Part]) -> [String: String] {
        var homes: [String: Set<String>] = [:]
        for part in parts {
            for name in part.types { homes[name, default: []].insert(part.folder) }
        }
        let nested = parts.reduce(into: Set<String>()) { $0.formUnion($1.nested) }
        return homes.filter { !nested.contains($0.key) }.compactMapValues { $0.count == 1 ? $0.first : nil }
    }
}

extension FolderGraph {
    /// The facts about one file that the graph needs.
    private struct Part {
        let name: String
        /// The first folder below the target's own.
        let folder: String
        /// The types that the file declares at its top level.
        let types: Set<String>
        /// The types that the file declares inside other types.
        let nested: Set<String>
        /// All words of the file's code.
        let words: Set<String>

        /// Returns nil for a file that lies in no subfolder of the target.
        init?(_ file: String, _ text: String, root: String) {
            guard let start = file.range(of: root + "/", options: .backwards) else { return nil }
            let path = file[start.upperBound...].split(separator: "/")
            guard path.count > 1, let folder = path.first, let name = path.last else { return nil }
            let code = Self.code(of: text)
            self.name = String(name)
            self.folder = String(folder)
            types = FolderGraph.types(in: code)
            nested = Self.names(in: code, #/(?m)^ +(?:\w+ +)*(?:struct|class|enum|protocol|typealias) +(\w+)/#)
            words = Self.names(in: code, #/([A-Za-z_]\w*)/#)
        }

        private static func names(in text: String, _ pattern: Regex<(Substring, Substring)>) -> Set<String> {
            Set(text.matches(of: pattern).map { String($0.1) })
        }

        /// The text without comments and without the contents of strings.
        private static func code(of text: String) -> String {
            text.replacing(#/\/\*(?s:.*?)\*\//#, with: " ").replacing(#/\/\/[^\n]*/#, with: "")
                .replacing(#/"""(?s:.*?)"""/#, with: "").replacing(#/"(?:[^"\\\n]|\\.)*"/#, with: "")
        }
    }
}
