/// Which layer can say which statement of a policy: made from the policy, so that it cannot drift from it.
///
/// A layer that holds nothing of a statement is no fault; a statement that only one layer holds whole rests on it.
public struct LayerTable: Sendable, Hashable {
    /// One statement and how far each layer holds it.
    public struct Row: Sendable, Hashable {
        public let statement: PolicyStatement
        /// Where the policy says it; nil for what holds for every policy.
        public let place: PolicyPlace?
        /// A layer that is not here has nothing to do with it.
        public let parts: [SandboxLayer: LayerPart]
        /// What else holds it, such as a control group or a resource limit.
        public let elsewhere: String?

        init(
            _ statement: PolicyStatement, at place: PolicyPlace? = nil, elsewhere: String? = nil,
            _ parts: [SandboxLayer: LayerPart]
        ) {
            self.statement = statement
            self.place = place
            self.parts = parts
            self.elsewhere = elsewhere
        }

        /// The layers that hold the whole statement, each by itself.
        public var holders: [SandboxLayer] { SandboxLayer.allCases.filter { parts[$0] == .whole } }

        /// Whether the statement still holds when these layers are missing.
        public func holds(without missing: Set<SandboxLayer>) -> Bool {
            elsewhere != nil || holders.contains { !missing.contains($0) }
        }
    }

    /// The policy's name.
    public let policy: String
    public let rows: [Row]

    /// The row of a statement; nil where the policy does not make it.
    public func row(_ statement: PolicyStatement) -> Row? {
        rows.first { $0.statement == statement }
    }

    /// What no longer holds whole when these layers are missing.
    public func fallen(without missing: Set<SandboxLayer>) -> [Row] {
        rows.filter { $0.holds(without: []) && !$0.holds(without: missing) }
    }
}
