/// A path of one of the shipped lists of parts.
package struct ShippedPart: Sendable, Hashable {
    /// The name of the group, by which a user can give it up.
    package let group: String
    package let reason: String
    /// The path as the list writes it. It can contain `*`, which stands for any characters of a name.
    package let path: String
    /// Whether the path stands only for something that is no directory.
    package let isFile: Bool

    /// The names of the path. The first is `~` if the path begins at a home.
    package var parts: [Substring] { PathText.parts(path) }
}

/// The shipped lists of parts, of `Policies/parts`.
package enum ShippedParts {
    /// The parts that a program may not change in each directory that is handed over for writing.
    package static func protected() throws(PolicyError) -> [ShippedPart] { try read("protected") }

    /// The places that hold credentials.
    package static func credentials() throws(PolicyError) -> [ShippedPart] { try read("credentials") }

    /// The names of the groups of a list, in its order.
    package static func groups(of parts: [ShippedPart]) -> [String] {
        parts.reduce(into: []) { groups, part in
            if groups.last != part.group { groups.append(part.group) }
        }
    }

    /// The text of a list; nil if there is no such list.
    package static func text(named name: String) -> String? { ShippedTexts.parts[name] }

    private static func read(_ name: String) throws(PolicyError) -> [ShippedPart] {
        guard let text = ShippedTexts.parts[name] else { throw PolicyError("there is no list of parts `\(name)`") }
        return try parts(text: text, file: "parts/\(name).yaml")
    }

    static func parts(text: String, file: String) throws(PolicyError) -> [ShippedPart] {
        var parts: [ShippedPart] = []
        for group in try PolicyNode.root(of: text, file: file).entries("a list of parts") {
            for row in try group.value.list("a group of parts") {
                let values = try row.mapping("a row of parts", keys: ["reason", "paths", "kind"])
                guard let reason = values["reason"], let paths = values["paths"] else {
                    throw row.error("a row must state its `reason` and its `paths`")
                }
                let why = try reason.text("a reason")
                for path in try paths.list("`paths`") {
                    parts.append(
                        ShippedPart(
                            group: group.name, reason: why, path: try path.text("a path"), isFile: values["kind"] != nil
                        ))
                }
            }
        }
        return parts
    }
}
