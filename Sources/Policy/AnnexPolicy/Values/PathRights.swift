/// What may be done with a file, or with everything below a directory.
public struct PathRights: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Files are read, directories listed.
    public static let read = PathRights(rawValue: 1)
    /// Files are changed, made, renamed and removed.
    public static let write = PathRights(rawValue: 2)
    /// Programs are run.
    public static let execute = PathRights(rawValue: 4)

    /// The rights as policies spell them.
    static let names: [(name: String, right: PathRights)] = [
        ("read", .read), ("write", .write), ("execute", .execute),
    ]

    /// Each right by itself, in their usual order.
    package var each: [PathRights] { Self.names.map(\.right).filter { contains($0) } }
}

extension PathRights: CustomStringConvertible {
    /// For example `[read, execute]`, as in a policy's text.
    public var description: String {
        "[" + Self.names.filter { contains($0.right) }.map(\.name).joined(separator: ", ") + "]"
    }
}
