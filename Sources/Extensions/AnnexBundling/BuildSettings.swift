package import AnnexBundle

/// The settings of a build, by name. They fill placeholders such as `$(PRODUCT_NAME)` and `${NAME:lower}`.
package struct BuildSettings: Sendable, Hashable {
    private let values: [String: String]

    /// - Parameter values: the values by name. Each value may contain placeholders itself.
    package init(_ values: [String: String]) {
        self.values = values
    }

    /// These settings merged with others. If both have a setting of the same name, the value in `others` counts.
    func merging(_ others: [String: String]) -> BuildSettings {
        BuildSettings(values.merging(others) { $1 })
    }

    /// The text with its placeholders filled in. A placeholder without a value stays as it is.
    package func filled(_ text: String) -> String {
        var filling = PlaceholderFilling(values)
        return filling.filled(text, expanding: [])
    }

    /// A property list in which each string is filled in.
    package func filled(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .string(let text): .string(filled(text))
        case .array(let values): .array(values.map(filled))
        case .dictionary(let values): .dictionary(values.mapValues(filled))
        default: value
        }
    }
}

/// Fills the placeholders of one text. The number of steps is bounded, because values may refer to each other many
/// times.
private struct PlaceholderFilling {
    private let values: [String: String]
    /// The number of placeholders that may still be filled in.
    private var steps = 1_000
    private static let mostBytes = 64 << 10

    init(_ values: [String: String]) {
        self.values = values
    }

    /// - Parameter names: the names of the settings whose values are being filled in now. The text is part of these
    ///   values. A placeholder for one of these settings stays as it is, because a value must not contain itself.
    mutating func filled(_ text: String, expanding names: Set<String>) -> String {
        var result = ""
        var rest = Substring(text)
        while let start = rest.firstIndex(of: "$"), result.utf8.count <= Self.mostBytes {
            result += rest[..<start]
            rest = rest[start...]
            guard let placeholder = Placeholder(rest) else {
                result += "$"
                rest = rest.dropFirst()
                continue
            }
            rest = rest[placeholder.end...]
            result += value(of: placeholder, expanding: names) ?? placeholder.text
        }
        return result + rest
    }

    /// The text that replaces a placeholder; nil if there is none.
    private mutating func value(of placeholder: Placeholder, expanding names: Set<String>) -> String? {
        guard steps > 0 else { return nil }
        steps -= 1
        // A name may contain a placeholder, as in `$(NAME_$(SYSTEM))`.
        var parts = filled(placeholder.inside, expanding: names).split(
            separator: ":", omittingEmptySubsequences: false
        ).map(String.init)
        let name = parts.removeFirst()
        guard !names.contains(name) else { return nil }
        var value = values[name].map { filled($0, expanding: names.union([name])) }
        for modifier in parts {
            if modifier.hasPrefix("default=") {
                value = value.flatMap { $0.isEmpty ? nil : $0 } ?? String(modifier.dropFirst("default=".count))
            } else if let text = value {
                guard let modified = SettingModifier(rawValue: modifier)?.applied(to: text) else { return nil }
                value = modified
            }
        }
        return value
    }
}

/// One placeholder at the start of a text.
private struct Placeholder {
    /// The whole placeholder.
    let text: String
    /// The text between the brackets.
    let inside: String
    /// The place after the closing bracket.
    let end: Substring.Index

    /// Nil if the text does not begin with a complete placeholder.
    init?(_ rest: Substring) {
        let open = rest.dropFirst().first
        guard open == "(" || open == "{" else { return nil }
        let close: Character = open == "(" ? ")" : "}"
        var depth = 0
        for index in rest.indices.dropFirst() {
            if rest[index] == open { depth += 1 }
            if rest[index] == close { depth -= 1 }
            guard depth == 0 else { continue }
            end = rest.index(after: index)
            text = String(rest[..<end])
            inside = String(text.dropFirst(2).dropLast())
            return
        }
        return nil
    }
}

/// A change that a placeholder makes to the value of its setting.
enum SettingModifier: String, CaseIterable {
    case lower, upper
    /// Makes the value an identifier of Swift and C: each character that an identifier cannot have becomes an
    /// underscore.
    case identifier, c99extidentifier
    /// Makes the value a part of a bundle identifier: each character that such a part cannot have becomes a hyphen.
    case rfc1034identifier

    func applied(to text: String) -> String {
        switch self {
        case .lower: text.lowercased()
        case .upper: text.uppercased()
        case .identifier, .c99extidentifier:
            Self.name(text)
        case .rfc1034identifier:
            String(text.map { Self.isPlain($0) || $0 == "." ? $0 : "-" })
        }
    }

    private static func name(_ text: String) -> String {
        let name = String(text.map { isPlain($0) ? $0 : "_" })
        return name.first?.isNumber ?? true ? "_" + name : name
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
    }
}
