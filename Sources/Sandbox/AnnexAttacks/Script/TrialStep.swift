/// One thing that a trial does.
package struct TrialStep: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A system call, by number.
        case call(number: Int32)
        /// Bytes of its memory are told: offset, length.
        case tell
        /// A value is put into its memory: value, offset, width in bytes.
        case store
        /// What one call is not enough for.
        case conduct(Conduct)
    }

    package let kind: Kind
    package let arguments: [TrialArgument]
    /// Done only when that earlier step did not fail.
    package let after: Int?
}
