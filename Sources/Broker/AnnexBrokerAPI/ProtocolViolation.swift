/// A breach of the channel that the host's end of it saw.
package struct ProtocolViolation: Sendable, Hashable {
    /// What the extension did, with its numbers, for a report.
    package let text: String
    /// Whether it is too much of what is allowed, rather than something that is not.
    package let isBudget: Bool

    package init(_ text: String, isBudget: Bool = false) {
        self.text = text
        self.isBudget = isBudget
    }
}
