/// A YAML text as a tree of scalars, lists and mappings in the order of the text, each with its place.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        case scalar(String)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    let content: Content
    let mark: YAMLMark
}

/// A place in a text. Line and column count from 1; columns count characters.
struct YAMLMark: Sendable, Hashable {
    let line: Int
    let column: Int
}

/// The reason why a text is not the YAML that policies are written in.
struct YAMLFailure: Error {
    let problem: String
    let mark: YAMLMark
}
