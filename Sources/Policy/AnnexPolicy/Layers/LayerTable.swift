/// A table of the layers that enforce each statement of a policy. The table is derived from the policy, so the two
/// cannot differ.
///
/// A layer need not enforce every statement. If only one layer enforces a statement completely, the statement depends
/// on that layer.
public struct LayerTable: Sendable, Hashable {
    /// One statement, and how far each layer enforces it.
    public struct Row: Sendable, Hashable {
        public let statement: PolicyStatement
        /// The line that makes the statement; nil if the statement holds for every policy.
        public let place: PolicyPlace?
        /// How far each layer enforces the statement. If a layer has no entry, it is unrelated to the statement.
        public let parts: [SandboxLayer: LayerPart]
        /// Another mechanism that enforces the statement, such as a control group or a resource limit.
        public let elsewhere: String?

        init(
            _ statement: PolicyStatement, at place: PolicyPlace? = nil, elsewhere: String? = nil,
            parts: [SandboxLayer: LayerPart]
        ) {
            self.statement = statement
            self.place = place
            self.parts = parts
            self.elsewhere = elsewhere
        }

        /// The layers that each enforce the whole statement alone.
        public var holders: [SandboxLayer] { SandboxLayer.allCases.filter { parts[$0] == .whole } }

        /// Whether the statement is still enforced if these layers are missing.
        public func holds(without missing: Set<SandboxLayer>) -> Bool {
            elsewhere != nil || holders.contains { !missing.contains($0) }
        }
    }

    /// The policy's name.
    public let policy: String
    /// One row for each statement of the policy.
    public let rows: [Row]

    /// The row of a statement; nil if the policy does not make the statement.
    public func row(_ statement: PolicyStatement) -> Row? {
        rows.first { $0.statement == statement }
    }

    /// The rows that are no longer completely enforced if these layers are missing.
    public func fallen(without missing: Set<SandboxLayer>) -> [Row] {
        rows.filter { $0.holds(without: []) && !$0.holds(without: missing) }
    }
}

/// How far one layer alone can enforce one statement of a policy.
public enum LayerPart: Sendable, Hashable {
    /// The layer enforces the whole statement.
    case whole
    /// The layer enforces a part of the statement. The phrase names the part that the layer does not enforce.
    case partly(String)
    /// The layer does not enforce the statement. The text is the reason.
    case none(String)

    /// The part that the layer does not enforce, or the reason why it enforces nothing; nil if it enforces the whole
    /// statement.
    public var gap: String? {
        switch self {
        case .whole: nil
        case .partly(let gap), .none(let gap): gap
        }
    }
}
