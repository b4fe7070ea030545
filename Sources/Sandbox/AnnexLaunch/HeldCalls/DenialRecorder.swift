internal import AnnexLinux
internal import AnnexPolicy

/// The records about one sandbox's denials while the sandbox lives.
struct DenialRecorder {
    private var ledger = DenialTable()
    private var log: DenialLog
    private var recording: Recording?
    private var backtraces = 0
    private var hasCrashed = false
    /// Copied stacks that have not been walked yet. Only the stacks of the first denial of each kind and of the first
    /// crash are copied, so there are few copies.
    private var stacks: [(event: StackEvent, sample: StackSample)] = []
    private var lostStacks = 0
    var crash: Crash?
    /// Judges paths; nil if neither the mode nor a watch of connections reports paths.
    var paths: PathChecker?
    /// Why the listener receives no further denials; nil while the listener works.
    var missing: String?
    /// Whether the last summary was made. A denial after it is not recorded.
    private(set) var isClosed = false

    init(_ scene: CallDesk.Scene) {
        log =
            scene.isLogged
            ? DenialLog(sandbox: scene.name, mode: scene.mode)
            : DenialLog(sandbox: scene.name, mode: scene.mode, logger: DenialLog.silent)
        if scene.mode.checksPaths || scene.executions != nil, !scene.hasPrivateInput {
            paths = PathChecker(
                scene.policy, mode: scene.mode, bundle: scene.bundle, hasTerminal: scene.hasTerminal, home: scene.home)
        }
        if scene.mode == .learn { recording = Recording() }
    }

    /// Whether to examine the calling thread. The thread is examined at the first denial of each kind, for at most
    /// `CallDesk.backtraces` kinds.
    mutating func wantsMore(about key: Denial.Key) -> Bool {
        guard backtraces < CallDesk.backtraces, ledger.isNew(key) else { return false }
        backtraces += 1
        return true
    }

    /// Whether to examine a crash. Only the first crash is examined.
    mutating func wantsCrash() -> Bool {
        defer { hasCrashed = true }
        return !hasCrashed
    }

    /// Whether the sandbox has used up its allowed number of denials. The next denial kills the sandbox.
    func hasSpent(_ most: Int) -> Bool { ledger.total >= most }

    /// - Returns: the number of denied calls so far.
    mutating func record(_ denial: Denial) -> Int {
        if ledger.add(denial) { log.write(denial) }
        return ledger.total
    }

    /// Records a call of a trusted program. A path with links is recorded together with the paths to which the links
    /// lead, because a policy must grant all of them.
    mutating func record(_ call: HeldCall, paths named: [NamedPath], network: NetworkUse?) {
        recording?.add(call: call.number, arguments: call.arguments)
        if let address = network?.address { recording?.add(address: address) }
        for name in network?.questions ?? [] { recording?.add(question: name) }
        let executes = ["execve", "execveat"].contains(SystemCall(number: call.number)?.name)
        for path in named {
            let exists = paths?.isThere(path) ?? false
            recording?.add(path: path.path, rights: path.rights, exists: exists, makesEntry: path.makesEntry)
            let places = exists ? [path.path] + (paths?.trail(path) ?? []) : []
            for place in places.dropFirst() { recording?.add(path: place, rights: path.rights, exists: true) }
            if executes { for place in places { recording?.add(program: place) } }
        }
    }

    /// The summary, before functions are named. Nothing is recorded after it.
    mutating func lastSummary(_ scene: CallDesk.Scene) -> DenialSummary {
        isClosed = true
        var summary = DenialSummary()
        summary.mode = scene.mode
        summary.denials = ledger.denials
        summary.total = ledger.total
        summary.dropped = ledger.dropped
        summary.lostStacks = lostStacks
        summary.recording = recording
        summary.missing = missing
        summary.crash = crash
        return summary
    }

    /// Writes the last line of the log.
    mutating func close(_ summary: DenialSummary) { log.close(summary) }
}

// MARK: - Stacks

/// The event for which a stack was copied.
enum StackEvent: Hashable {
    case denial(Denial.Key)
    case crash
}

extension DenialRecorder {
    mutating func keep(_ sample: StackSample, of event: StackEvent) { stacks.append((event, sample)) }

    mutating func popStack() -> (event: StackEvent, sample: StackSample)? {
        stacks.isEmpty ? nil : stacks.removeFirst()
    }

    /// Counts a stack copy that was dropped because too many copies were waiting.
    mutating func loseStack(of event: StackEvent) {
        guard let place = stacks.firstIndex(where: { $0.event == event }) else { return }
        stacks.remove(at: place)
        lostStacks += 1
        record(Backtrace(missing: "too many stacks waited for examination"), of: event)
    }

    mutating func record(_ backtrace: Backtrace, of event: StackEvent) {
        switch event {
        case .denial(let key): ledger.record(backtrace, of: key)
        case .crash: crash?.backtrace = backtrace
        }
    }
}
