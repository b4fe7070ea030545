public import AnnexPolicy

/// All that one sandbox was refused, when it has ended.
public struct DenialSummary: Sendable, Hashable {
    /// Whether it was enforced, explained, only reported or recorded.
    public internal(set) var mode = DenialMode.enforce
    /// One entry a kind, in the order in which they were first seen.
    public internal(set) var denials: [Denial] = []
    /// Refused calls in all.
    public internal(set) var total = 0
    /// Refusals whose kind found no room among `denials`.
    public internal(set) var dropped = 0
    /// Refusals and crashes that have no backtrace, because more stacks waited to be looked at than may.
    public internal(set) var lostStacks = 0
    /// What the program did, in `learn`.
    public internal(set) var recording: Recording?
    /// Who called whom when it aborted or faulted; nil where it did not, or did not say so.
    package internal(set) var crash: Crash?
    /// Why it heard of no more from some moment on: the kernel's word. Calls were refused or waited from then on.
    public internal(set) var lack: String?

    public init() {}
}
