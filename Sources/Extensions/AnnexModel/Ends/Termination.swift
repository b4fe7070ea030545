/// How an extension's process ended: the reason, the details, the resources that the process used, and its last
/// output.
///
/// Annex returns an end as a value and never throws it.
public struct Termination: Sendable, Hashable {
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
        switch reason {
        case .completed, .cancelled, .memoryPressure, .hostGone, .disabled, .removed, .brokerShutdown: false
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

extension Termination {
    /// Why an extension ended. Reports on disk use the raw values.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The extension answered. Afterwards its process ended within the grace, or was ended when the grace was
        /// over.
        case completed
        /// The extension ended its request with an error, or the host no longer wanted the extension.
        case cancelled
        /// The extension's process exited before it answered.
        case exited
        /// A signal ended the process.
        case crashed
        /// The extension used more memory than its extension point allows.
        case memoryLimit
        /// The extension was not ready in time.
        case launchLimit
        /// The request took longer than the host allows.
        case timeLimit
        /// The extension used more processor time than its limit allows.
        case processorLimit
        /// The extension wrote more to its private directory than its limit allows, or one of its app groups is too
        /// large.
        case diskLimit
        /// The extension wrote more output than its limit allows.
        case outputLimit
        /// The extension sent more messages than its budget allows.
        case messageBudget
        /// The extension was still working when the grace after its answer was over.
        case graceExpired
        /// The extension did not answer the watchdog.
        case unresponsive
        /// The kernel cannot end the process, because it is in an uninterruptible sleep.
        case stuck
        /// The extension made a system call that only an attack makes, or had more denied calls than its limit
        /// `denials` allows.
        case deniedOperation
        /// The extension broke the rules of the channel.
        case protocolViolation
        /// The extension was parked for later requests, and the system was short of memory.
        case memoryPressure
        /// The host program ended or closed its connection.
        case hostGone
        /// The user disabled the extension.
        case disabled
        /// The extension's app was removed, or a new version of the app no longer contains the extension.
        case removed
        /// The broker was stopped.
        case brokerShutdown
        /// The extension never ran, because a step of its launch failed.
        case launchFailed
    }
}
