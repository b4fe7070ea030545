internal import AnnexLinux
internal import AnnexPolicy

/// All that is kept about one sandbox's refusals while it lives.
struct DenialRecorder {
    private var ledger = DenialTable()
    private var log: DenialLog
    private var recording: Recording?
    private var backtraces = 0
    private var hasCrashed = false
    /// Stacks that were taken and not yet walked, the first of each kind: few.
    private var stacks: [(event: StackEvent, sample: StackSample)] = []
    private var lostStacks = 0
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

    /// All of it, before functions are named.
    func summary(_ scene: DenialListener.Scene) -> DenialSummary {
        var summary = DenialSummary()
        summary.mode = scene.mode
        summary.denials = ledger.denials
        summary.total = ledger.total
        summary.dropped = ledger.dropped
        summary.lostStacks = lostStacks
        summary.recording = recording
        summary.lack = lack
        summary.crash = crash
        return summary
    }

    /// The last line of the log.
    mutating func close(_ summary: DenialSummary) { log.close(summary) }
}

// MARK: - Stacks

/// What a stack was taken for.
enum StackEvent: Hashable {
    case refusal(Denial.Key)
    case crash
}

extension DenialRecorder {
    mutating func keep(_ sample: StackSample, of event: StackEvent) { stacks.append((event, sample)) }

    mutating func takeStack() -> (event: StackEvent, sample: StackSample)? {
        stacks.isEmpty ? nil : stacks.removeFirst()
    }

    /// One that found no room where it was to wait.
    mutating func loseStack(of event: StackEvent) {
        guard let place = stacks.firstIndex(where: { $0.event == event }) else { return }
        stacks.remove(at: place)
        lostStacks += 1
        note(Backtrace(lack: "more stacks waited to be looked at than may"), of: event)
    }

    mutating func note(_ backtrace: Backtrace, of event: StackEvent) {
        switch event {
        case .refusal(let key): ledger.note(backtrace, of: key)
        case .crash: crash?.backtrace = backtrace
        }
    }
}
