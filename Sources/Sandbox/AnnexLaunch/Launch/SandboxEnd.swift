internal import AnnexPolicy
internal import Glibc

/// An event in the life of a sandbox. `started`, `executed`, `died` and `ended` come in this order, each at most
/// once. `denied`, `aborted`, `wrote` and `stopped` can come several times, in no fixed order. `ended` is the last
/// event and comes exactly once.
package enum SandboxEvent: Sendable {
    /// The process exists and has this number. None of its own code runs yet.
    case started(process: Int32)
    /// The process's own code runs.
    case executed(SandboxReport)
    /// A call was denied. `total` counts all denials of this sandbox.
    case denied(Denial, total: Int)
    /// The process called `abort()`.
    case aborted
    /// The process wrote to its output. `total` counts the bytes so far.
    case wrote(total: UInt64)
    /// A signal stopped the program, which waits until it is continued. This event comes only if there is a reaper.
    case stopped(signal: Int32)
    /// The kernel reported the death of the process. Annex now examines the sandbox's remains, and `ended` follows.
    case died
    case ended(SandboxEnd)
}

/// The facts that the kernel reports about the end of a sandboxed process. `SandboxRunReport` and the broker derive the
/// reason for the end from these facts.
package struct SandboxEnd: Sendable {
    /// The step of the launch that failed; nil if no step failed.
    package var failure: SandboxError?
    /// How the process ended; nil if there never was a process, or if the warden was lost.
    package var process: ProcessEnd?
    package var usage: ResourceUsage?
    /// Whether the process's own code ever ran.
    package var hasRun = false
    /// The counts of the control group; nil if there was no control group, or if it was not read in time.
    package var memory: MemoryUse?
    /// The limits that the kernel enforced; nil if the launch failed before they were set.
    package var held: HeldLimits?
    /// The finding of the memory watch; nil if it found nothing, or if a control group bounds all memory.
    package var memoryFinding: WatchFinding?
    /// The finding of the watch of processor time; nil if it found nothing.
    package var processorFinding: WatchFinding?
    /// Whether the policy lets the program send itself the signal that ended it. If so, the program itself may have
    /// sent this signal.
    package var mayBeOwnSignal = false
    package var output = OutputTail()
    /// The machines for which the program asked, with `network: hosts`.
    package var hosts: [RequestedHost] = []
    package var denialSummary = DenialSummary()
    /// The denials, one entry for each kind.
    package var denials: [Denial] { denialSummary.denials }

    package init(failure: SandboxError? = nil) {
        self.failure = failure
    }

    /// The most memory in use at any moment, in bytes. This is the control group's count if there is one, otherwise the
    /// largest resident set.
    package var peakMemory: UInt64? { memory?.peak ?? usage?.peakMemory }

    /// Whether the kernel enforced a limit on memory of all kinds. If not, the memory was watched.
    package var isMemoryEnforced: Bool { held?.isMemoryEnforced ?? false }

    /// Whether the memory limit ended the process. This is true if the memory watch found something. Otherwise, if a
    /// control group limits memory, SIGKILL must have ended the process, and the kernel must have counted a kill. If
    /// memory is only watched, a signal must have ended the process, and its peak must be at least 95 % of the limit.
    /// The end of a child alone does not make this true.
    /// - Parameter wasKilled: whether Annex sent the signal for a known reason other than memory.
    package func ranOutOfMemory(limit: UInt64, wasKilled: Bool) -> Bool {
        if memoryFinding != nil { return true }
        // The kill that the kernel counted may have been that of a child, long before.
        guard processorFinding == nil else { return false }
        if let memory { return memory.kills > 0 && isKilled }
        guard !wasKilled, case .signalled = process, let peak = usage?.peakMemory else {
            return false
        }
        return peak >= limit - limit / 20
    }

    /// Whether the limit of processor time ended the process. Either the watch of processor time killed the process, or
    /// `RLIMIT_CPU` explains a kill without another cause. The kernel compares `RLIMIT_CPU` with whole seconds. It
    /// counts these seconds by the ticks at which it found the process running. The usage that the kernel reports is a
    /// different count, which was a fifth lower on a busy machine. So if the usage is at least half of the limit, the
    /// kill is treated as a kill by the limit.
    package func ranOutOfProcessorTime(limit: Duration) -> Bool {
        guard isKilled, !PolicyLimits.isNone(limit) else { return false }
        let used = (usage?.userTime ?? .zero) + (usage?.systemTime ?? .zero)
        return processorFinding != nil || used >= .seconds(max(1, limit.components.seconds)) / 2
    }

    /// A text that names the memory limit as the reason of an end.
    package func memoryWords(_ limit: String) -> String {
        "\(limit), \(isMemoryEnforced ? "enforced" : "watched")" + Self.words(memoryFinding)
    }

    /// A text that names the limit of processor time as the reason of an end.
    package func processorWords(_ limit: String) -> String {
        "\(limit) of processor time" + (processorFinding == .exceeded ? ", of all its processes together" : "")
            + Self.words(processorFinding)
    }

    private static func words(_ finding: WatchFinding?) -> String {
        guard case .unseen(let cause) = finding else { return "" }
        return ": its use could not be measured (\(cause))"
    }

    /// Whether SIGKILL ended the process. Any process may have sent it.
    package var isKilled: Bool {
        if case .signalled(let number, _) = process { return number == SIGKILL }
        return false
    }
}

extension Policy {
    /// Whether a program under this policy can send itself a signal. If so, the signal may come from the program and
    /// not from the kernel.
    func letsSendItself(_ signal: Int32) -> Bool {
        let (process, number) = (UInt64(2), UInt64(signal))
        let ways: [(call: String, arguments: [UInt64])] = [
            ("kill", [process, number]), ("tkill", [process, number]), ("tgkill", [process, process, number]),
            ("rt_sigqueueinfo", [process, number]), ("rt_tgsigqueueinfo", [process, process, number]),
            ("pidfd_send_signal", [process, number]), ("timer_create", []),
        ]
        return ways.contains { way in
            guard let call = SystemCall(named: way.call, architecture: architecture) else { return false }
            let rest = [UInt64](repeating: 0, count: 6 - way.arguments.count)
            return allowsByRule(number: call.number, arguments: way.arguments + rest)
        }
    }
}
