/// A YAML text as a tree of scalars, lists and mappings. The tree keeps the order of the text, and each node has its
/// place.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        case scalar(String)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    let content: Content
    let mark: YAMLMark
}

/// A place in a text. Lines and columns count from 1. Columns count characters.
struct YAMLMark: Sendable, Hashable {
    let line: Int
    let column: Int
}

/// The reason why a text is not YAML in the form that policies need.
struct YAMLFailure: Error {
    let problem: String
    let mark: YAMLMark
}

extension YAMLNode {
    /// The deepest nesting. A policy needs only a few levels. Deeper nesting is an attack on code that walks the tree.
    static let deepest = 32

    /// Reads the only document of a text; nil if the text does not contain a document.
    init?(text: String) throws(YAMLFailure) {
        var parser = try YAMLParser(text)
        guard case .beginDocument = try parser.next().event else { return nil }
        self = try Self.node(try parser.next(), from: &parser, depth: 0)
        let (event, mark) = try parser.next()
        guard case .end = event else { throw YAMLFailure(problem: "the text must be one YAML document", mark: mark) }
    }

    private static func node(
        _ first: (event: YAMLParser.Event, mark: YAMLMark), from parser: inout YAMLParser, depth: Int
    ) throws(YAMLFailure) -> YAMLNode {
        guard depth < deepest else {
            throw YAMLFailure(problem: "values are nested deeper than \(deepest) levels", mark: first.mark)
        }
        switch first.event {
        case .scalar(let text): return YAMLNode(content: .scalar(text), mark: first.mark)
        case .beginSequence: return YAMLNode(content: try sequence(&parser, depth: depth + 1), mark: first.mark)
        case .beginMapping: return YAMLNode(content: try mapping(&parser, depth: depth + 1), mark: first.mark)
        default: throw YAMLFailure(problem: "a value is missing", mark: first.mark)
        }
    }

    private static func sequence(_ parser: inout YAMLParser, depth: Int) throws(YAMLFailure) -> Content {
        var items: [YAMLNode] = []
        while true {
            let next = try parser.next()
            if case .endSequence = next.event { return .sequence(items) }
            items.append(try node(next, from: &parser, depth: depth))
        }
    }

    private static func mapping(_ parser: inout YAMLParser, depth: Int) throws(YAMLFailure) -> Content {
        var entries: [(key: YAMLNode, value: YAMLNode)] = []
        var names: Set<String> = []
        while true {
            let next = try parser.next()
            if case .endMapping = next.event { return .mapping(entries) }
            let key = try node(next, from: &parser, depth: depth)
            if case .scalar(let name) = key.content, !names.insert(name).inserted {
                throw YAMLFailure(problem: "the key `\(name)` is stated twice", mark: key.mark)
            }
            entries.append((key, try node(try parser.next(), from: &parser, depth: depth)))
        }
    }
}
