package import AnnexBrokerAPI
internal import AnnexLaunch
package import AnnexModel
internal import AnnexPolicy
package import AnnexRegistry
internal import Glibc

/// The end of one extension with everything that a report needs: its identity, its launch and the cause of its end.
package struct EndedExtension: Sendable {
    /// The extension's bundle identifier.
    package let identifier: String
    /// The build that ran: its identifier, version and digest.
    package let instance: Instance
    /// The policy that the extension ran under.
    package let policy: String
    /// The time from the request for the launch to the end of the extension. The clock stops while the machine is
    /// suspended.
    package let lifetime: Duration
    /// How long the launch waited for an instance slot.
    package let waited: Duration
    /// The launch report; nil if the extension's own code never ran. If the extension ended before its hello, the
    /// report has no step `hello`.
    package let launch: LaunchReport?
    /// Every limit of the policy, and the mechanism that enforced it.
    package let limits: [LaunchReport.Limit]
    /// The end as the broker reports it to the host.
    package let termination: Termination
    /// What decides which later launches this end delays.
    package var facts = LifeFacts()
}

extension EndedExtension {
    /// The approximate memory of this value in bytes. It counts the texts that an extension can make long, and a
    /// constant for all other parts.
    var weight: Int {
        let output = termination.lastOutput.reduce(0) { $0 + $1.description.utf8.count }
        return termination.denials.reduce(4096 + output) { $0 + $1.weight }
    }
}

extension DeniedCall {
    fileprivate var weight: Int {
        (arguments + backtrace).reduce(256 + (remedy?.utf8.count ?? 0)) { $0 + $1.description.utf8.count }
    }
}

extension Termination {
    /// Derives the reason for an end from the broker's cause and the kernel's facts. No other code decides the reason.
    /// - Parameters:
    ///   - activity: the extension's own words for the activity that it began last.
    ///   - messages: the counts of the extension's channel.
    init(
        _ cause: EndCause?, end: SandboxEnd, limits: PolicyLimits, activity: String? = nil,
        messages: SessionStatistics? = nil
    ) {
        var (reason, detail) = Self.reason(cause, end: end, limits: limits)
        if reason == .graceExpired, let activity { detail = .limit("\(detail), on: \(Escaped(activity))") }
        self.init(
            reason, detail: detail,
            usage: Usage(
                peakMemory: end.peakMemory, userTime: end.usage?.userTime, systemTime: end.usage?.systemTime,
                messages: messages, denials: end.denialSummary.total),
            lastOutput: end.lastLines, denials: end.denials.map { DeniedCall($0) })
    }

    private static func reason(_ cause: EndCause?, end: SandboxEnd, limits: PolicyLimits) -> (Reason, Detail) {
        if let failure = end.failure {
            let step = AnnexModel.LaunchStep(failure.step, cause: failure.cause, remedy: failure.remedy)
            return (.launchFailed, .step(step))
        }
        // A kill by the kernel for lack of memory is checked first, because every other cause is its consequence.
        if end.ranOutOfMemory(limit: limits.memory, wasKilled: cause != nil) {
            return (.memoryLimit, .limit(end.memoryWords("\(ByteCount(limits.memory))")))
        }
        // The cause `silence` means that the extension closed its channel and did not exit. If the extension then ended
        // by itself, `silence` is not the reason, even if the kernel reported the end late.
        if let cause, cause != .silence || !end.endedByItself { return reason(of: cause, end: end, limits: limits) }
        return reason(of: end, limits: limits)
    }

    private static func reason(of cause: EndCause, end: SandboxEnd, limits: PolicyLimits) -> (Reason, Detail) {
        switch cause {
        case .completed: (.completed, .none)
        case .cancelled: (.cancelled, .none)
        case .memoryPressure: (.memoryPressure, .none)
        case .noSlot: (.launchFailed, .step(.noSlot(limits)))
        case .launchLimit: (.launchLimit, .limit("no hello within \(limits.launch)"))
        case .timeLimit: (.timeLimit, .limit("no answer within \(limits.request)"))
        case .diskLimit(let text): (.diskLimit, .limit(text))
        case .outputLimit: (.outputLimit, .limit("more than \(ByteCount(limits.output)) of output"))
        case .unresponsive: (.unresponsive, .limit("no sign of life within \(limits.watchdog)"))
        case .graceExpired: (.graceExpired, .limit("still at work \(limits.grace) after the goodbye"))
        case .hostGone: (.hostGone, .none)
        case .disabled: (.disabled, .none)
        case .removed: (.removed, .none)
        case .brokerShutdown: (.brokerShutdown, .none)
        case .unanswered: (.launchFailed, .step(.unanswered(limits)))
        case .stuck(let first): (.stuck, stuck(after: first, end: end, limits: limits))
        case .aborted: (.crashed, .signal(end.crash(by: SIGABRT)))
        case .deniedOperation(let denial): (.deniedOperation, .deniedCall(DeniedCall(end.latest(denial))))
        case .messageBudget(let text): (.messageBudget, .limit(text))
        case .protocolViolation(let text): (.protocolViolation, .violation(Escaped(text)))
        case .silence: (.protocolViolation, .violation(Escaped("closed its end of the channel but did not exit")))
        }
    }

    private static func stuck(after cause: EndCause, end: SandboxEnd, limits: PolicyLimits) -> Detail {
        let first = reason(of: cause, end: end, limits: limits).0
        return .limit(
            "the process did not end within \(LifecycleTimes(limits).death) after its kill for \(first.rawValue)")
    }

    private static func reason(of end: SandboxEnd, limits: PolicyLimits) -> (Reason, Detail) {
        switch end.process {
        case .exited(let code): (.exited, .exitCode(code))
        case .signalled(let number, _) where number == SIGSYS && !end.mayBeOwnSignal:
            (.deniedOperation, .deniedCall(DeniedCall("call of a foreign ABI", layer: "seccomp")))
        case .signalled where end.ranOutOfProcessorTime(limit: limits.processor):
            (.processorLimit, .limit(end.processorWords("\(limits.processor)")))
        case .signalled(let number, _): (.crashed, .signal(end.crash(by: number)))
        case nil where end.hasRun:
            (.brokerShutdown, .limit("the warden ended, and the extension with it"))
        case nil:
            (.launchFailed, .step(AnnexModel.LaunchStep("warden", cause: "the warden ended before the extension did")))
        }
    }
}

extension AnnexModel.LaunchStep {
    fileprivate static func unanswered(_ limits: PolicyLimits) -> AnnexModel.LaunchStep {
        AnnexModel.LaunchStep(
            "warden", cause: "no answer within \(LifecycleTimes(limits).queue)",
            remedy: "reduce the machine's load, and check that no program has stopped the process annex-warden")
    }

    fileprivate static func noSlot(_ limits: PolicyLimits) -> AnnexModel.LaunchStep {
        AnnexModel.LaunchStep(
            "slot",
            cause:
                "no instance slot became free within \(LifecycleTimes(limits).slot) (`instances`: \(limits.instances))",
            remedy: "end a session that you do not need, or raise the policy's limit `instances`")
    }
}

extension SandboxEnd {
    /// Whether the process exited, or a signal other than the broker's SIGKILL ended it.
    fileprivate var endedByItself: Bool {
        switch process {
        case .exited: true
        case .signalled(let number, _): number != SIGKILL
        case nil: false
        }
    }

    /// The facts about a crash. If a program announced one crash signal but died of another signal, there is no
    /// backtrace.
    fileprivate func crash(by signal: Int32) -> Signal {
        let crash = denialSummary.crash.flatMap { $0.signal == signal ? $0 : nil }
        return Signal(signal, message: lastWords, backtrace: crash?.backtrace.escaped ?? [])
    }

    /// The program's last message: the Swift runtime's error if there is one, otherwise the last line of output.
    ///
    /// After its error, the runtime prints the frames of its stack, one frame per line.
    fileprivate var lastWords: Escaped? {
        let lines = Escaped.lines(of: output.bytes, last: 200)
        return lines.last { $0.description.contains("Fatal error") } ?? lines.last
    }

    /// The last lines of output, without the stack that the Swift runtime prints after an error. The stack would push
    /// the program's own lines out, and a report has the backtrace under a key of its own.
    fileprivate var lastLines: [Escaped] {
        var isInStack = false
        let lines = Escaped.lines(of: output.bytes, last: 200).filter { line in
            let text = line.description
            isInStack = text == "Current stack trace:" || isInStack && text.first?.isNumber == true
            return !isInStack
        }
        return lines.suffix(20)
    }

    /// The same denial with its present count and backtrace.
    fileprivate func latest(_ denial: Denial) -> Denial {
        denials.first { $0.call == denial.call && $0.text == denial.text } ?? denial
    }
}

extension DeniedCall {
    /// The denial's text is already decoded and escaped, as `name(arguments)`.
    fileprivate init(_ denial: Denial) {
        let inside = denial.text.dropFirst(denial.call.count + 1).dropLast()
        self.init(
            denial.call, arguments: inside.isEmpty ? [] : [Escaped(String(inside))],
            layer: (denial.layers.first ?? .seccomp).rawValue, remedy: denial.remedyText, count: denial.count,
            backtrace: denial.backtrace?.escaped ?? [])
    }
}

extension Backtrace {
    /// A frame's text has its names escaped. So they are not escaped again.
    fileprivate var escaped: [Escaped] { frames.map { Escaped(Escaped.plain($0.description), limit: 512) } }
}
