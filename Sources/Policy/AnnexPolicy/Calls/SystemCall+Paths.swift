extension SystemCall {
    /// The paths that this call names with these registers, in their order. `rename` and similar calls name two.
    public func pathUses(_ arguments: [UInt64]) -> [PathUse] {
        pathRules.compactMap { $0.use(arguments, architecture: architecture) }
    }

    /// Whether the call can name a path.
    public var takesPaths: Bool { !pathRules.isEmpty }

    var pathRules: [PathRule] { PathRule.byCall[name] ?? [] }
}

extension PathRule {
    /// The table, read once.
    fileprivate static let byCall: [String: [PathRule]] = Dictionary(
        grouping: table.split(separator: "\n").compactMap { PathRule(line: $0) }, by: \.call)
}
