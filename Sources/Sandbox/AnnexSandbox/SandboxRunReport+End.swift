internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension SandboxRunReport {
    /// Derives the reason for the end from the kernel's facts and Annex's own causes. No other code decides the reason.
    init(
        program: [String], policy: Policy, cause: RunCause?, end: SandboxEnd, launch: SandboxReport?, elapsed: Duration
    ) {
        let (reason, detail) = Self.reason(cause, end: end, limits: policy.limits)
        self.init(
            program: program, policy: policy.name, reason: reason, detail: detail, memoryLimit: policy.limits.memory,
            elapsedSeconds: elapsed.inSeconds)
        if let failure = end.failure {
            failedStep = failure.step
            remedy = failure.remedy
        }
        if reason == .exited, case .exited(let code) = end.process { exitCode = code }
        if reason == .crashed {
            signal = Self.signal(cause, end: end)
            backtrace = Self.backtrace(end, signal: signal)
        }
        layers = launch?.layers ?? []
        waived = (launch?.waived ?? []).map { Waiver(layer: $0.layer.rawValue, cause: $0.cause, remedy: $0.remedy) }
        writableCode = policy.paths.writableCode.map { Escaped($0, limit: 8_192) }
        foreignPlaces = (launch?.foreignPlaces ?? []).map {
            ForeignPlace(path: Escaped($0.path, limit: 8_192), reason: $0.reason)
        }
        steps = (launch?.steps ?? []).map { Step(name: $0.name, microseconds: $0.duration.inSeconds * 1e6) }
        denials = end.denials.map(DenialRecord.init)
        denialCount = end.denialSummary.total
        peakMemory = end.peakMemory
        isMemoryEnforced = end.isMemoryEnforced
        userSeconds = end.usage?.userTime.inSeconds
        systemSeconds = end.usage?.systemTime.inSeconds
    }

    private static func signal(_ cause: RunCause?, end: SandboxEnd) -> Int32? {
        if case .aborted = cause { return SIGABRT }
        guard case .signalled(let number, _) = end.process else { return nil }
        return number
    }

    /// The backtrace for the signal that ended the program. A process of the sandbox may have reported a backtrace for
    /// another signal, which did not cause this end. Such a backtrace is not used.
    private static func backtrace(_ end: SandboxEnd, signal: Int32?) -> [FrameRecord]? {
        guard let crash = end.denialSummary.crash, crash.signal == signal, !crash.backtrace.frames.isEmpty else {
            return nil
        }
        return crash.backtrace.frames.map(FrameRecord.init)
    }

    private static func reason(_ cause: RunCause?, end: SandboxEnd, limits: PolicyLimits) -> (Reason, String) {
        if let failure = end.failure { return (.launchFailed, failure.cause) }
        let ranOut = end.ranOutOfMemory(limit: limits.memory, wasKilled: cause != nil)
        // The kernel also counts kills of the program's children. So if Annex itself has a cause, that cause takes
        // precedence.
        if ranOut, cause == nil || end.memoryFinding != nil {
            return (.memoryLimit, end.memoryWords(bytes(limits.memory)))
        }
        // If the program ended by itself before Annex could kill it, the report states the program's own end.
        if let cause, end.isKilled || end.process == nil { return reason(of: cause, limits) }
        return reason(of: end, limits)
    }

    private static func reason(of cause: RunCause, _ limits: PolicyLimits) -> (Reason, String) {
        switch cause {
        case .cancelled: (.cancelled, "did not end within \(limits.grace) after it was asked to")
        case .launchLimit: (.launchLimit, "its own code did not run within \(limits.launch)")
        case .timeLimit: (.timeLimit, "ran longer than \(limits.request)")
        case .outputLimit: (.outputLimit, "more than \(bytes(limits.output)) of output")
        case .stuck: (.stuck, "not gone \(SandboxRun.death) after it was killed")
        case .aborted: (.crashed, "signal \(SIGABRT)")
        case .diskLimit(let text): (.diskLimit, text)
        case .deniedOperation(let denial): (.deniedOperation, denial.text + (denial.policyLine.map { ", \($0)" } ?? ""))
        }
    }

    private static func reason(of end: SandboxEnd, _ limits: PolicyLimits) -> (Reason, String) {
        switch end.process {
        case .exited(let code): (.exited, "exit code \(code)" + memoryNote(end))
        case .signalled where end.ranOutOfProcessorTime(limit: limits.processor):
            (.processorLimit, end.processorWords("\(limits.processor)"))
        case .signalled(let number, _): (.crashed, "signal \(number)")
        case nil: (.brokerShutdown, "the warden ended, and the program with it")
        }
    }

    /// A note that is added to an exit code if the kernel killed a process of the program at the memory limit. For
    /// example, a shell whose child was killed continues or exits with 137.
    private static func memoryNote(_ end: SandboxEnd) -> String {
        (end.memory?.kills ?? 0) > 0 ? ", after the kernel killed one of its processes at the memory limit" : ""
    }

    private static func bytes(_ count: UInt64) -> String {
        for (shift, unit) in [(UInt64(30), "GiB"), (20, "MiB"), (10, "KiB")] where count >= 1 << shift {
            if count & (1 << shift - 1) == 0 { return "\(count >> shift) \(unit)" }
        }
        return "\(count) bytes"
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Why Annex itself ended a program.
enum RunCause: Sendable {
    case cancelled, launchLimit, timeLimit, outputLimit, stuck, aborted
    case diskLimit(String)
    case deniedOperation(Denial)
}
