package import AnnexLaunch
package import AnnexLinux
package import AnnexPolicy
internal import Glibc

/// Why Annex ends a supervised process. If Annex did not end the process, there is no cause. In that case, the reason of
/// the end follows from the kernel's report on the process.
package indirect enum EndCause: Sendable, Equatable {
    case completed
    case cancelled
    /// The program was asked to end, and did not end within its grace.
    case stopIgnored
    /// The extension was parked, and the machine is short of memory.
    case memoryPressure
    /// No instance slot became free while the launch was allowed to wait.
    case noSlot
    /// The warden did not answer, so there may be no process.
    case unanswered
    case launchLimit
    case timeLimit
    case outputLimit
    /// A directory is larger than allowed, or its file system is almost full. The text says which limit is exceeded.
    case diskLimit(String)
    /// The extension gave no sign of life while a request was open.
    case unresponsive
    /// The session was completed and the grace is over, but the extension has not finished its activities.
    case graceExpired
    /// The process was killed for another cause, and the kernel has not reported its end.
    case stuck(after: EndCause)
    /// The extension closed its end of the channel and did not exit.
    case silence
    /// The process called `abort()`. The first process of a PID namespace ignores a SIGABRT that it sends to itself.
    /// So the signal does not end the process, and Annex must detect the call.
    case aborted
    /// The process made a denied call that only an attack makes, or had more denials than the policy allows.
    case deniedOperation(Denial)
    case messageBudget(String)
    case protocolViolation(String)
    case hostGone
    case disabled
    case removed
    case brokerShutdown

    /// Whether the extension itself caused the end. The value is false if a host, a user, the broker or the machine
    /// caused it.
    var isTheExtensions: Bool {
        switch self {
        case .completed, .cancelled, .memoryPressure, .noSlot, .unanswered, .hostGone, .disabled, .removed,
            .brokerShutdown:
            false
        case .launchLimit, .timeLimit, .diskLimit, .outputLimit, .unresponsive, .graceExpired, .stopIgnored, .stuck,
            .silence, .aborted, .deniedOperation, .messageBudget, .protocolViolation:
            true
        }
    }

    /// Whether the process's own end is the reason, if the process ended by itself before it could be killed.
    ///
    /// The end of a program is the answer that its caller wants, so it counts. The end of an extension is no answer, so
    /// the first cause counts, with one exception: an extension that closed its channel was about to end. A process that
    /// called `abort()` ends in some other way only because the signal had no effect.
    func yieldsToOwnEnd(of kind: LifeKind) -> Bool {
        switch self {
        case .silence: true
        case .aborted: false
        default: kind == .program
        }
    }
}

/// Why a supervised process ended, with the fact that explains it.
package struct Ending: Sendable, Equatable {
    package enum Detail: Sendable, Equatable {
        case none
        case exitCode(Int32)
        case signal(Int32)
        /// The limit that was exceeded, or another explanation in words.
        case limit(String)
        case denial(Denial)
        /// The process made a call of a foreign ABI, for example of a 32-bit program. The filter kills for such a call
        /// without asking, so there is no denial.
        case foreignCall
        /// The rule of the channel that was broken. The extension may have chosen a part of the text.
        case violation(String)
        /// The step of the launch that failed.
        case step(SandboxError)
    }

    package let reason: EndReason
    package let detail: Detail
    /// The option of `annex run` with which the program may end otherwise; nil if the reason itself leads to the
    /// option, or if there is none. A failed step has a remedy of its own.
    package let remedy: String?

    private init(_ reason: EndReason, because detail: Detail = .none, remedy: String? = nil) {
        self.reason = reason
        self.detail = detail
        self.remedy = remedy
    }

    /// Decides the reason for an end from Annex's own cause and the kernel's facts. No other code decides the reason.
    /// - Parameter cause: why Annex ended the process; nil if Annex did not end it.
    package static func decide(
        _ cause: EndCause?, facts: SandboxEnd, limits: PolicyLimits, kind: LifeKind
    ) -> Ending {
        if let failure = facts.failure { return Ending(.launchFailed, because: .step(failure)) }
        // A kill by the kernel for lack of memory comes before each cause, because it is certain, and most causes are
        // its consequences. But the kernel also counts kills of other processes of the sandbox. So if there may be
        // others, a cause comes first, unless the memory watch itself has killed the process.
        let isOfProcess = cause == nil || limits.processes == 1 || facts.memoryFinding != nil
        if isOfProcess, facts.ranOutOfMemory(limit: limits.memory, wasKilled: cause != nil) {
            return Ending(.memoryLimit, because: .limit(facts.memoryWords("\(ByteCount(limits.memory))")))
        }
        if let cause, !facts.endedByItself || !cause.yieldsToOwnEnd(of: kind) {
            return ending(for: cause, facts: facts, limits: limits, kind: kind)
        }
        return ending(without: facts, limits: limits, kind: kind)
    }

    private static func ending(
        for cause: EndCause, facts: SandboxEnd, limits: PolicyLimits, kind: LifeKind
    ) -> Ending {
        switch cause {
        case .completed: Ending(.completed)
        case .cancelled: Ending(.cancelled)
        case .stopIgnored:
            Ending(
                .cancelled, because: .limit("did not end within \(limits.grace) after it was asked to"),
                remedy: "to give it more time, add --limit grace=\(LimitValue.time(longer(limits.grace)).text)")
        case .memoryPressure: Ending(.memoryPressure)
        case .noSlot: Ending(.launchFailed, because: .step(.noSlot(limits)))
        case .unanswered: Ending(.launchFailed, because: .step(.unanswered(limits)))
        case .launchLimit: Ending(.launchLimit, because: .limit("\(kind.missingStart) within \(limits.launch)"))
        case .timeLimit: Ending(.timeLimit, because: .limit("\(kind.missingEnd) \(limits.request)"))
        case .diskLimit(let text): Ending(.diskLimit, because: .limit(text))
        case .outputLimit: Ending(.outputLimit, because: .limit("more than \(ByteCount(limits.output)) of output"))
        case .unresponsive: Ending(.unresponsive, because: .limit("no sign of life within \(limits.watchdog)"))
        case .graceExpired: Ending(.graceExpired, because: .limit("still at work \(limits.grace) after the goodbye"))
        case .hostGone: Ending(.hostGone)
        case .disabled: Ending(.disabled)
        case .removed: Ending(.removed)
        case .brokerShutdown: Ending(.brokerShutdown)
        case .stuck(let first):
            stuck(after: ending(for: first, facts: facts, limits: limits, kind: kind).reason, kind: kind)
        case .aborted: Ending(.crashed, because: .signal(SIGABRT))
        case .deniedOperation(let denial): Ending(.deniedOperation, because: .denial(facts.latest(denial)))
        case .messageBudget(let text): Ending(.messageBudget, because: .limit(text))
        case .protocolViolation(let text): Ending(.protocolViolation, because: .violation(text))
        case .silence: Ending(.protocolViolation, because: .violation("closed its end of the channel but did not exit"))
        }
    }

    /// A grace that is enough for most programs, and much longer than this one.
    private static func longer(_ grace: Duration) -> Duration { max(grace * 4, .seconds(20)) }

    private static func stuck(after first: EndReason, kind: LifeKind) -> Ending {
        Ending(
            .stuck,
            because: .limit("the process did not end within \(kind.death) after its kill for \(first.rawValue)"))
    }

    private static func ending(without facts: SandboxEnd, limits: PolicyLimits, kind: LifeKind) -> Ending {
        switch facts.process {
        case .exited(let code): Ending(.exited, because: .exitCode(code))
        case .signalled(let number, _) where number == SIGSYS && !facts.mayBeOwnSignal:
            Ending(.deniedOperation, because: .foreignCall)
        case .signalled where facts.ranOutOfProcessorTime(limit: limits.processor):
            Ending(.processorLimit, because: .limit(facts.processorWords("\(limits.processor)")))
        case .signalled(let number, _): Ending(.crashed, because: .signal(number))
        case nil where facts.hasRun:
            Ending(.brokerShutdown, because: .limit("the warden ended, and the \(kind.rawValue) with it"))
        case nil:
            Ending(.launchFailed, because: .step(.warden("the warden ended before the \(kind.rawValue) did")))
        }
    }
}

extension LifeKind {
    fileprivate var missingStart: String { self == .program ? "its own code did not run" : "no hello" }
    fileprivate var missingEnd: String { self == .program ? "ran longer than" : "no answer within" }
}

extension SandboxError {
    fileprivate static func warden(_ cause: String, remedy: String? = nil) -> SandboxError {
        SandboxError("warden", cause: cause, remedy: remedy)
    }

    fileprivate static func unanswered(_ limits: PolicyLimits) -> SandboxError {
        warden(
            "no answer within \(LifecycleTimes.launchWait(limits))",
            remedy: "reduce the machine's load, and check that no program has stopped the process annex-warden")
    }

    fileprivate static func noSlot(_ limits: PolicyLimits) -> SandboxError {
        SandboxError(
            "slot",
            cause: "no instance slot became free within \(LifecycleTimes.launchWait(limits)) "
                + "(`instances`: \(limits.instances))",
            remedy: "end a session that you do not need, or raise the policy's limit `instances`")
    }
}

extension SandboxEnd {
    /// Whether the process exited, or a signal other than SIGKILL ended it. Annex itself sends only SIGKILL.
    fileprivate var endedByItself: Bool {
        switch process {
        case .exited, .signalled: !isKilled
        case nil: false
        }
    }

    /// The same denial with its present count and backtrace.
    fileprivate func latest(_ denial: Denial) -> Denial {
        denials.first { $0.call == denial.call && $0.text == denial.text } ?? denial
    }

    /// The chain of calls that led to the crash, innermost frame first. If a process announced one crash signal but
    /// died of another signal, there is no backtrace.
    package func frames(ofCrashBy signal: Int32) -> [Backtrace.Frame] {
        denialSummary.crash.flatMap { $0.signal == signal ? $0.backtrace.frames : nil } ?? []
    }
}
