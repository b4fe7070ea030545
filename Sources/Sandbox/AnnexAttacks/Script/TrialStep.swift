/// One step of a trial.
package struct TrialStep: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A system call, by number.
        case call(number: Int32)
        /// Reports bytes of the trial's memory: offset, length.
        case tell
        /// Stores a value in the trial's memory: value, offset, width in bytes.
        case store
        /// An action that takes more than one system call.
        case conduct(Conduct)
    }

    package let kind: Kind
    package let arguments: [TrialArgument]
    /// The earlier step that must have succeeded for this one to be done; nil if there is no such condition.
    package let after: Int?
}
