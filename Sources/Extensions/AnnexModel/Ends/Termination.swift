/// How an extension's process ended: one reason, what is known about it, what it used, what it wrote last.
///
/// An end is a value, never a thrown surprise.
public struct Termination: Sendable, Hashable {
    /// Why it ended.
    public let reason: Reason
    /// What is known beyond the reason.
    public let detail: Detail
    /// What the process used up, as far as the machine tells.
    public let usage: Usage
    /// The last lines of its output, escaped and bounded.
    public let lastOutput: [Escaped]
    /// What it was refused, each kind once; a bounded number of kinds.
    public let denials: [DeniedCall]

    public init(
        _ reason: Reason, detail: Detail = .none, usage: Usage = Usage(), lastOutput: [Escaped] = [],
        denials: [DeniedCall] = []
    ) {
        self.reason = reason
        self.detail = detail
        self.usage = usage
        self.lastOutput = lastOutput
        self.denials = denials
    }

    /// The same with what went through its channel, where the broker could not count that.
    package func counting(_ messages: SessionStatistics) -> Termination {
        guard usage.messages == nil else { return self }
        let counted = Usage(
            peakMemory: usage.peakMemory, userTime: usage.userTime, systemTime: usage.systemTime, messages: messages,
            denials: usage.denials)
        return Termination(reason, detail: detail, usage: counted, lastOutput: lastOutput, denials: denials)
    }

    /// Whether something went wrong. Not a failure: an answer, an end that somebody wished for, exit code 0.
    public var isFailure: Bool {
        switch reason {
        case .completed, .cancelled, .hostGone, .disabled, .removed, .brokerShutdown: false
        case .exited: detail != .exitCode(0)
        default: true
        }
    }
}

extension Termination: CustomStringConvertible {
    /// One line, safe to show: `crashed: SIGSEGV (11)`.
    public var description: String {
        detail == .none ? reason.rawValue : "\(reason.rawValue): \(detail)"
    }
}
