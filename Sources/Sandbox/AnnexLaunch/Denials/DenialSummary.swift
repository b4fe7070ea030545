public import AnnexPolicy

/// All denials of one sandbox, after it has ended.
public struct DenialSummary: Sendable, Hashable {
    /// The mode of the sandbox.
    public internal(set) var mode = DenialMode.enforce
    /// One entry for each kind, in the order of first occurrence.
    public internal(set) var denials: [Denial] = []
    /// The number of denied calls.
    public internal(set) var total = 0
    /// Denials that have no entry in `denials`, because there was no room for their kind.
    public internal(set) var dropped = 0
    /// Denials and crashes without a backtrace, because too many stacks were waiting to be walked.
    public internal(set) var lostStacks = 0
    /// The program's calls and paths, recorded in mode `learn`; else nil.
    public internal(set) var recording: Recording?
    /// The backtrace of the program's abort or fault; nil if it had none or did not report it.
    package internal(set) var crash: Crash?
    /// Why denials were no longer received from some moment on, as the kernel reports it. Calls were refused or waited
    /// from then on. nil if all were received.
    public internal(set) var lack: String?

    public init() {}
}
