/// How an extension's process ended: the reason, the details, the resources that the process used, and its last
/// output.
///
/// Annex returns an end as a value and never throws it.
public struct Termination: Sendable, Hashable {
    /// Why an extension ended. Reports on disk use the raw values.
    public typealias Reason = EndReason

    /// Why the process ended.
    public let reason: Reason
    /// A fact that explains the reason, such as the exit code or the signal.
    public let detail: Detail
    /// The resources that the process used, if the system measures them.
    public let usage: Usage
    /// The last lines of the process's output, escaped and limited in number.
    public let lastOutput: [Escaped]
    /// The calls and paths that the sandbox denied. Each kind of denial appears once, and the number of kinds is
    /// limited.
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

    /// The same termination with the channel's statistics. If this termination already contains such statistics, from
    /// the broker, the result equals this termination.
    package func counting(_ messages: SessionStatistics) -> Termination {
        guard usage.messages == nil else { return self }
        let counted = Usage(
            peakMemory: usage.peakMemory, userTime: usage.userTime, systemTime: usage.systemTime, messages: messages,
            denials: usage.denials)
        return Termination(reason, detail: detail, usage: counted, lastOutput: lastOutput, denials: denials)
    }

    /// Whether something went wrong. An end is no failure if the extension answered, if the end was requested, or if
    /// the process exited with code 0.
    public var isFailure: Bool {
        reason == .exited ? detail != .exitCode(0) : !reason.isRequested
    }
}

extension Termination: CustomStringConvertible {
    /// One line that is safe to show, such as `crashed: SIGSEGV (11)`.
    public var description: String {
        detail == .none ? reason.rawValue : "\(reason.rawValue): \(detail)"
    }
}
