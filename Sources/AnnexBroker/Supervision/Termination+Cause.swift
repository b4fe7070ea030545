internal import AnnexModel
internal import AnnexPolicy
internal import AnnexSandbox
internal import Glibc

extension Termination {
    /// The one place where facts of the kernel and the broker's own causes become a reason.
    init(_ cause: EndCause?, end: SandboxEnd, limits: PolicyLimits) {
        let (reason, detail) = Self.reason(cause, end: end, limits: limits)
        self.init(
            reason, detail: detail,
            usage: Usage(peakMemory: end.peakMemory, userTime: end.usage?.user, systemTime: end.usage?.system),
            lastOutput: Escaped.lines(end.output.bytes))
    }

    private static func reason(_ cause: EndCause?, end: SandboxEnd, limits: PolicyLimits) -> (Reason, Detail) {
        if let failure = end.failure { return (.launchFailed, .step(LaunchStep(failure))) }
        // The kernel's own kill comes first: whatever else was noticed meanwhile is its consequence.
        if end.ranOutOfMemory(limit: limits.memory) {
            return (.memoryLimit, .limit("\(ByteCount(limits.memory)), \(end.isMemoryEnforced ? "enforced" : "watched")"))
        }
        if let cause { return reason(of: cause, end: end, limits: limits) }
        return reason(of: end)
    }

    private static func reason(of cause: EndCause, end: SandboxEnd, limits: PolicyLimits) -> (Reason, Detail) {
        switch cause {
        case .completed: (.completed, .none)
        case .cancelled: (.cancelled, .none)
        case .launchLimit: (.launchLimit, .limit("no hello within \(limits.launch)"))
        case .timeLimit: (.timeLimit, .limit("no answer within \(limits.request)"))
        case .outputLimit: (.outputLimit, .limit("more than \(ByteCount(limits.output)) of output"))
        case .brokerShutdown: (.brokerShutdown, .none)
        case .aborted: (.crashed, .signal(Signal(SIGABRT, message: end.lastWords)))
        case .deniedOperation(let denial): (.deniedOperation, .deniedCall(DeniedCall(denial)))
        case .messageBudget(let text): (.messageBudget, .limit(text))
        case .protocolViolation(let text): (.protocolViolation, .violation(Escaped(text)))
        }
    }

    private static func reason(of end: SandboxEnd) -> (Reason, Detail) {
        switch end.process {
        case .exited(let code): (.exited, .exitCode(code))
        case .signalled(let number, _) where number == SIGSYS:
            (.deniedOperation, .deniedCall(DeniedCall("call of a foreign ABI", layer: "seccomp")))
        case .signalled(let number, _): (.crashed, .signal(Signal(number, message: end.lastWords)))
        case nil: (.launchFailed, .step(LaunchStep("warden", cause: "the warden ended before the extension did")))
        }
    }
}
