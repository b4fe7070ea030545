/// Text written in the program's source: never a peer's words, so it may be shown as it is.
public struct StaticText: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    public init(stringLiteral value: StaticString) {
        description = value.description
    }
}
