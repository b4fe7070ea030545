/// A breach of the channel's rules by an extension, found at the host's end.
package struct ProtocolViolation: Sendable, Hashable {
    /// What the extension did, with its numbers, for a report.
    package let text: String
    /// Whether the extension exceeded a budget, rather than did something that is never allowed.
    package let isBudget: Bool

    package init(_ text: String, isBudget: Bool = false) {
        self.text = text
        self.isBudget = isBudget
    }
}
