internal import AnnexLinux
internal import AnnexPolicy

/// All that is kept about one sandbox's refusals while it lives.
struct DenialBooks {
    private var ledger = DenialLedger()
    private var log: DenialLog
    private var recording: Recording?
    private var backtraces = 0
    private var hasCrashed = false
    var crash: Crash?
    /// Nil where no paths are judged.
    var paths: PathJudge?
    /// Why nothing more is heard of.
    var lack: String?

    init(_ scene: DenialListener.Scene) {
        log =
            scene.isLogged
            ? DenialLog(sandbox: scene.name, mode: scene.mode)
            : DenialLog(sandbox: scene.name, mode: scene.mode, logger: DenialLog.silent)
        if scene.mode.judgesPaths { paths = PathJudge(scene.policy, mode: scene.mode, bundle: scene.bundle) }
        if scene.mode == .learn { recording = Recording() }
    }

    /// Whether its caller is to be looked at: the first of a kind, as long as few have been.
    mutating func wantsMore(about key: Denial.Key) -> Bool {
        guard backtraces < DenialListener.backtraces, ledger.isNew(key) else { return false }
        backtraces += 1
        return true
    }

    /// Whether it is looked at as it crashes: once.
    mutating func wantsCrash() -> Bool {
        defer { hasCrashed = true }
        return !hasCrashed
    }

    /// Whether as many calls were refused as may be: the next is the end.
    func hasSpent(_ most: Int) -> Bool { ledger.total >= most }

    /// - Returns: how many calls were refused by now.
    mutating func note(_ denial: Denial) -> Int {
        if ledger.add(denial) { log.tell(denial) }
        return ledger.total
    }

    mutating func record(_ call: HeldCall, _ named: [NamedPath]) {
        recording?.add(call: call.number, arguments: call.arguments)
        let executes = ["execve", "execveat"].contains(SystemCall(number: call.number)?.name)
        for path in named {
            let exists = paths?.isThere(path) ?? false
            recording?.add(path: path.path, rights: path.rights, exists: exists, makesEntry: path.makesEntry)
            if executes, exists { recording?.add(program: path.path) }
        }
    }

    /// The last word, with names for the functions that are known by address.
    mutating func close(_ scene: DenialListener.Scene) -> DenialSummary {
        var summary = DenialSummary()
        summary.mode = scene.mode
        summary.denials = ledger.denials
        summary.total = ledger.total
        summary.dropped = ledger.dropped
        summary.recording = recording
        summary.lack = lack
        summary.crash = crash
        scene.program?.name(&summary)
        log.close(summary)
        return summary
    }
}
