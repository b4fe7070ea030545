/// One node of the text of a policy, or of another YAML file, with its place. Each reading method returns a value of
/// the wanted form, or throws an error that names the place.
package struct PolicyNode {
    let node: YAMLNode
    package let place: PolicyPlace

    init(_ node: YAMLNode, file: String) {
        self.node = node
        self.place = PolicyPlace(file: file, line: node.mark.line, column: node.mark.column)
    }

    package func error(_ problem: String, suggestion: String? = nil) -> PolicyError {
        PolicyError(problem, at: place, suggestion: suggestion)
    }

    /// The text of any scalar, exactly as written.
    package func text(_ what: String) throws(PolicyError) -> String {
        guard case .scalar(let text) = node.content, !text.isEmpty else { throw error("\(what) must be a text") }
        return text
    }

    package func list(_ what: String) throws(PolicyError) -> [PolicyNode] {
        guard case .sequence(let sequence) = node.content else { throw error("\(what) must be a list") }
        return sequence.map { PolicyNode($0, file: place.file) }
    }

    /// The items of a list. A single text stands for a list of one item.
    package func oneOrMany() -> [PolicyNode] {
        guard case .sequence(let sequence) = node.content else { return [self] }
        return sequence.map { PolicyNode($0, file: place.file) }
    }

    package var isScalar: Bool {
        if case .scalar = node.content { true } else { false }
    }

    var isMapping: Bool {
        if case .mapping = node.content { true } else { false }
    }

    /// The keys and values in the order of the text.
    package func entries(_ what: String) throws(PolicyError) -> [(key: PolicyNode, name: String, value: PolicyNode)] {
        guard case .mapping(let mapping) = node.content else { throw error("\(what) must be a mapping (`key: value`)") }
        var entries: [(key: PolicyNode, name: String, value: PolicyNode)] = []
        for (key, value) in mapping {
            let key = PolicyNode(key, file: place.file)
            entries.append((key, try key.text("a key"), PolicyNode(value, file: place.file)))
        }
        return entries
    }

    /// The values of a mapping. Only these keys are allowed in the mapping.
    package func mapping(_ what: String, keys: [String]) throws(PolicyError) -> [String: PolicyNode] {
        var values: [String: PolicyNode] = [:]
        for entry in try entries(what) {
            guard keys.contains(entry.name) else {
                throw entry.key.unknown("key `\(entry.name)` in \(what)", name: entry.name, among: keys)
            }
            values[entry.name] = entry.value
        }
        return values
    }

    /// The error for a name that is not one of `known`.
    package func unknown(_ what: String, name: String, among known: some Sequence<String>) -> PolicyError {
        error("unknown \(what)", suggestion: NearestName.of(name, among: known))
    }
}

extension PolicyNode {
    /// The largest text in bytes. A policy has one or two pages of text. A longer text is a mistake or an attack on the
    /// reader.
    static let largestText = 256 * 1024

    /// The root node of a text. The text must be YAML without anchors, tags or duplicate keys.
    package static func root(of text: String, file: String) throws(PolicyError) -> PolicyNode {
        let start = PolicyPlace(file: file, line: 1, column: 1)
        guard text.utf8.count <= largestText else {
            throw PolicyError("the text is longer than \(largestText) bytes", at: start)
        }
        do throws(YAMLFailure) {
            // Some editors write a byte order mark, which has no meaning in UTF-8.
            let plain = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
            guard let node = try YAMLNode(text: plain) else {
                throw YAMLFailure(problem: "the text is empty", mark: start.mark)
            }
            return PolicyNode(node, file: file)
        } catch {
            throw PolicyError(
                error.problem, at: PolicyPlace(file: file, line: error.mark.line, column: error.mark.column))
        }
    }
}

extension PolicyPlace {
    fileprivate var mark: YAMLMark { YAMLMark(line: line, column: column) }
}
