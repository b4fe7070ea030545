internal import AnnexLinux

extension SandboxedProcess {
    /// The resources of the process, and the facts known about the process so far. The resources are released by the
    /// time the end is reported.
    struct Holdings: ~Copyable {
        var process: ProcessHandle?
        /// The number of the process on the host; nil before it is known.
        var number: Int32?
        /// Signals that were requested before the process was known.
        var unsent: [Int32] = []
        /// The number of a process whose handle was lost. It is kept until the process has been signalled.
        var unheld: Int32?
        var listener: CallDesk?
        var output: OutputReader?
        var identity: Identity?
        var group: ControlGroup?
        var watch: Watch<MemoryWatch>?
        var time: Watch<ProcessorWatch>?
        var end = SandboxEnd()
        var mustDie = false
        /// Whether the end was reported.
        var isOver = false
        /// The failure of a process that was killed before its `executed` arrived. The cause is decided at the end.
        var earlyDeath: LaunchFailure?
    }
}

extension SandboxedProcess.Holdings {
    var usageFile: String? {
        switch group {
        case .some(let group): group.usageFile
        case .none: nil
        }
    }

    var processorFile: String? {
        switch group {
        case .some(let group): group.processorFile
        case .none: nil
        }
    }

    /// Whether the first process is known and has not ended.
    var hasLivingProcess: Bool {
        switch process {
        case .some(let process): !process.hasEnded
        case .none: false
        }
    }

    /// Whether any process of the sandbox still lives, as far as the group and the handle show.
    var isAlive: Bool {
        let hasMembers =
            switch group {
            case .some(let group): group.hasMembers
            case .none: false
            }
        return hasMembers || hasLivingProcess
    }

    /// A death before `executed` is treated as a failed launch only if there is no other explanation. Other
    /// explanations are a limit of Annex, exhausted memory, or a call that the program's own code made right after its
    /// start.
    mutating func decideEarlyDeath() {
        guard let earlyDeath else { return }
        if !end.denials.isEmpty { end.hasRun = true }
        let isExplained = mustDie || end.hasRun || (end.memory?.kills ?? 0) > 0
        // No layer is the cause of a death, so the advice about layers does not matter.
        if !isExplained { end.failure = end.failure ?? SandboxError(earlyDeath, advice: .sandbox) }
    }
}
