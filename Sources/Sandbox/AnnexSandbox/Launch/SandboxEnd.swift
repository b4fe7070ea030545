internal import Glibc

/// How a sandboxed process ended: facts of the kernel, no judgement.
package struct SandboxEnd: Sendable {
    /// The step of the launch that failed, where one did.
    package var failure: SandboxError?
    /// How the process ended; nil where there never was one, or where the warden was lost.
    package var process: ProcessEnd?
    package var usage: ResourceUsage?
    /// Whether its own code ever ran.
    package var hasRun = false
    /// What the control group counted; nil where there was none.
    package var memory: MemoryUse?
    /// Which limits the kernel held; nil where it never came to that.
    package var held: HeldLimits?
    /// What the watch of its memory found, where no control group bounds all of it.
    package var memoryFinding: WatchFinding?
    /// What the watch of its processes' time found.
    package var processorFinding: WatchFinding?
    /// Whether its policy lets it send itself the signal that ended it: then nobody else need have sent it.
    package var mayBeOwnSignal = false
    package var output = OutputTail()
    package var refusals = DenialSummary()
    /// Every kind of refusal.
    package var denials: [Denial] { refusals.denials }

    package init(failure: SandboxError? = nil) {
        self.failure = failure
    }

    /// The most memory at any moment, in bytes: the control group's count, else the largest resident set.
    package var peakMemory: UInt64? { memory?.peak ?? usage?.peakMemory }

    /// Whether the kernel bounded memory of all kinds; else it was watched.
    package var isMemoryEnforced: Bool { held?.isMemoryEnforced ?? false }

    /// Whether the memory limit ended it: when it was killed and the kernel counted a kill, or, where memory is only
    /// watched, when it died by a signal within 5 % of the limit. A child's end is not its own.
    /// - Parameter wasKilled: whether that signal was ours, for a reason that is known and says nothing of memory.
    package func ranOutOfMemory(limit: UInt64, wasKilled: Bool) -> Bool {
        if memoryFinding != nil { return true }
        if let memory { return memory.kills > 0 && isKilled }
        guard !wasKilled, processorFinding == nil, case .signalled = process, let peak = usage?.peakMemory else {
            return false
        }
        return peak >= limit - limit / 20
    }

    /// Whether a kill that nobody else claims is that of the watch, or of `RLIMIT_CPU`. The latter counts whole seconds,
    /// and by the ticks at which the process was found running: on a busy machine the usage that is reported in the end
    /// was a fifth less.
    package func ranOutOfProcessorTime(limit: Duration) -> Bool {
        guard isKilled else { return false }
        let used = (usage?.userTime ?? .zero) + (usage?.systemTime ?? .zero)
        return processorFinding != nil || used >= .seconds(max(1, limit.components.seconds)) / 2
    }

    /// The memory limit as the reason of an end, in words.
    package func memoryWords(_ limit: String) -> String {
        "\(limit), \(isMemoryEnforced ? "enforced" : "watched")" + Self.words(memoryFinding)
    }

    /// The processor's limit as the reason of an end, in words.
    package func processorWords(_ limit: String) -> String {
        "\(limit) of processor time" + (processorFinding == .exceeded ? ", of all its processes together" : "")
            + Self.words(processorFinding)
    }

    private static func words(_ finding: WatchFinding?) -> String {
        guard case .unseen(let cause) = finding else { return "" }
        return ": what it uses could not be told (\(cause))"
    }

    /// Whether SIGKILL ended it, whoever sent that.
    var isKilled: Bool {
        if case .signalled(let number, _) = process { return number == SIGKILL }
        return false
    }
}
