internal import AnnexLinux

/// One value of a JSON text, with its place. Each reading method returns a value of the wanted form, or throws an error
/// that names the place.
package struct JSONNode: Sendable {
    package enum Value: Sendable {
        case null
        case boolean(Bool)
        /// The number as written. The caller decides which range it accepts.
        case number(String)
        case text(String)
        case list([JSONNode])
        case object([Entry])
    }

    /// One key of an object.
    package struct Entry: Sendable {
        package let key: String
        package let value: JSONNode
    }

    package let value: Value
    package let place: PolicyPlace
    package let path: JSONPath

    package func error(_ problem: String, suggestion: String? = nil) -> PolicyError {
        PolicyError("`\(path.text)` \(problem)", at: place, suggestion: suggestion)
    }

    var isNull: Bool {
        if case .null = value { true } else { false }
    }

    package func text() throws(PolicyError) -> String {
        guard case .text(let text) = value else { throw error("must be a text") }
        return text
    }

    /// A whole number without a sign.
    package func number(atMost most: UInt64 = .max) throws(PolicyError) -> UInt64 {
        guard case .number(let text) = value, let number = WholeNumber.parse(text), number <= most else {
            throw error("must be a whole number from 0 to \(most)")
        }
        return number
    }

    /// The values of a list. Null counts as an empty list, because Go writes an empty list as null.
    package func list() throws(PolicyError) -> [JSONNode] {
        if isNull { return [] }
        guard case .list(let nodes) = value else { throw error("must be a list") }
        return nodes
    }

    package func texts() throws(PolicyError) -> [String] {
        var texts: [String] = []
        for node in try list() { texts.append(try node.text()) }
        return texts
    }

    /// The values of an object. Only these keys are allowed in the object. As in Go, if the value of a key is null, the
    /// key counts as absent.
    package func object(keys: [String]) throws(PolicyError) -> [String: JSONNode] {
        guard case .object(let entries) = value else { throw error("must be an object") }
        var values: [String: JSONNode] = [:]
        for entry in entries {
            guard keys.contains(entry.key) else {
                let near = NearestName.of(entry.key, among: keys)
                throw entry.value.error("is an unknown key", suggestion: near)
            }
            if !entry.value.isNull { values[entry.key] = entry.value }
        }
        return values
    }
}

/// The path to a value in its text, for example `$.syscalls[3].args[0].op`. The path becomes text only for an error.
/// Otherwise a text with many values under long keys would need many times its size in memory.
package indirect enum JSONPath: Sendable {
    case root
    case member(of: JSONPath, key: String)
    case element(of: JSONPath, index: Int)

    package var text: String {
        switch self {
        case .root: "$"
        case .member(let whole, let key): "\(whole.text).\(Escaped(key, limit: 200).description)"
        case .element(let whole, let index): "\(whole.text)[\(index)]"
        }
    }
}
