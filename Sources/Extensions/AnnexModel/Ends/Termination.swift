/// How an extension's process ended: the reason, the details, the resources it used, and its last output.
///
/// Annex returns an end as a value and never throws it.
public struct Termination: Sendable, Hashable {
    /// Why the process ended.
    public let reason: Reason
    /// The fact behind the reason, such as the exit code or the signal.
    public let detail: Detail
    /// The resources that the process used, as far as the machine measures them.
    public let usage: Usage
    /// The last lines of its output, escaped and bounded.
    public let lastOutput: [Escaped]
    /// The calls and paths that the sandbox denied. Each kind appears once, and the number of kinds is bounded.
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

    /// The same end with the channel's statistics, unless the broker has counted them already.
    package func counting(_ messages: SessionStatistics) -> Termination {
        guard usage.messages == nil else { return self }
        let counted = Usage(
            peakMemory: usage.peakMemory, userTime: usage.userTime, systemTime: usage.systemTime, messages: messages,
            denials: usage.denials)
        return Termination(reason, detail: detail, usage: counted, lastOutput: lastOutput, denials: denials)
    }

    /// Whether something went wrong. An answer, a requested end and exit code 0 are not failures.
    public var isFailure: Bool {
        switch reason {
        case .completed, .cancelled, .hostGone, .disabled, .removed, .brokerShutdown: false
        case .exited: detail != .exitCode(0)
        default: true
        }
    }
}

extension Termination: CustomStringConvertible {
    /// One line that is safe to show, such as `crashed: SIGSEGV (11)`.
    public var description: String {
        detail == .none ? reason.rawValue : "\(reason.rawValue): \(detail)"
    }
}
