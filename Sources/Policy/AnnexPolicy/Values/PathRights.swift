/// Rights on a file, or on everything below a directory.
public struct PathRights: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Files may be read and directories listed.
    public static let read = PathRights(rawValue: 1)
    /// Files may be changed, created, renamed and removed.
    public static let write = PathRights(rawValue: 2)
    /// Programs may be executed.
    public static let execute = PathRights(rawValue: 4)

    /// The rights as policies spell them.
    package static let names: [(name: String, right: PathRights)] = [
        ("read", .read), ("write", .write), ("execute", .execute),
    ]

    /// The single rights, in their usual order.
    package var each: [PathRights] { Self.names.map(\.right).filter { contains($0) } }
}

extension PathRights: CustomStringConvertible {
    /// For example `[read, execute]`, as in a policy's text.
    public var description: String {
        "[" + Self.names.filter { contains($0.right) }.map(\.name).joined(separator: ", ") + "]"
    }
}
