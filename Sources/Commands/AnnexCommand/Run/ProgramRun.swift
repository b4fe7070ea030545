internal import AnnexDoctor
import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import AnnexShippedPolicies
import Glibc
import Synchronization

/// One `annex run`, from its options to its exit status.
struct ProgramRun {
    let options: RunOptions
    private let names: RelativeNames
    private let given: GivenPaths
    private let words = LastWords()
    private let scratch = KeptScratch()

    init(_ options: RunOptions) {
        self.options = options
        given = GivenPaths(options)
        names = RelativeNames(options, given: given)
    }

    /// The result of a run.
    struct Outcome {
        let status: Int32
        /// Why the program probably failed; nil if it did not fail, or if nothing explains the failure.
        var hint: RunHint?
        /// The signal by which this process must end; nil if it exits with the status.
        var signal: SharedSignal?
    }

    func run() -> Outcome {
        Self.makeRoomForDescriptors()
        do {
            let events = try options.jsonEvents.map { try RunEvents($0) }
            return run(events)
        } catch {
            return Outcome(status: report(error))
        }
    }

    private func run(_ events: RunEvents?) -> Outcome {
        let outcome: Outcome
        let line: RunEvents.EndLine
        do {
            if let missing = MissingPath(options) { throw WrongOption(missing.text) }
            let end = try runToItsEnd(events)
            outcome = report(end)
            line = RunEvents.EndLine(end.report, status: outcome.status, hint: outcome.hint)
        } catch {
            outcome = Outcome(status: report(error))
            line = RunEvents.EndLine(error, status: outcome.status)
        }
        if let loss = events?.finish(line) { StandardError.print("annex: --json-events: \(loss)") }
        return outcome
    }

    // MARK: - Running

    private struct End {
        let report: SandboxRunReport
        let denials: [Denial]
        /// The policy with everything that the caller handed over.
        let policy: Policy
        /// A standard stream to which writing failed.
        let failed: (number: Int32, error: SystemError)?
        /// The file that receives the report.
        let file: RunReportFile?
        /// Why the run stopped waiting for the program's output; nil if all of it was read.
        let impatience: SignalForwarder.Impatience?
        /// What the program lacked of the caller's surroundings.
        let notes: [String]
        /// HOME of the program, if it lies in the program's own directory.
        let home: ProgramsHome?
        /// Whether a signal asked the program to end.
        let wasAsked: Bool
        /// The signal by which this process must end, because the program ended by it too.
        let signal: SharedSignal?
    }

    /// Makes room for 256 descriptors while this process has one thread.
    ///
    /// A run needs more than 64. If a process has several threads, the kernel makes its table larger only after a grace
    /// period of RCU. That would take longer than the whole launch.
    private static func makeRoomForDescriptors() {
        // If this fails, the launch takes longer, and nothing else changes.
        if let root = try? Descriptor.reference(to: "/") { _ = try? root.duplicate(atLeast: 255) }
    }

    private func runToItsEnd(_ events: RunEvents?) throws -> End {
        try Confinement.rejectNesting()
        try Doctor.rejectKillingFilter()
        let parent = try options.endsWithParent ? ParentWatch() : nil
        // The launcher starts on a thread that blocks every signal. So no signal interrupts the launcher.
        let start = LauncherStart(waiving: options.dispensable, telling: events)
        defer { start.settle() }
        // Until `SignalForwarder` is made below, signals end this process in the usual way. During that time, no
        // program runs that could receive the signals.
        let sandbox = try sandbox()
        let file = try options.report.map { try RunReportFile(path: $0) }
        let signals = SignalForwarder(noticesPorts: sandbox.policy.network == .loopback && options.ports.isEmpty)
        var streams = try ProgramStreams(
            closed: StandardStreams.closed, words: words,
            bridging: NamedDescriptors.inherited(in: Array(options.program.dropFirst())))
        var prepared = try sandbox.prepare(
            program(under: sandbox.policy), streams: streams.takeGiven(), terminal: streams.terminal.take())
        // The log is off, because this process itself prints denials on stderr at the end.
        prepared.configuration.isLogged = false
        streams.giveBridged(to: &prepared.configuration)
        prepared.configuration.keptScratch = scratch
        let terminal = try streams.takeRelay { signals.post(.signalKey($0)) }
        let (policy, notes, gate) = (prepared.policy, prepared.notes, prepared.gate)
        let home = ProgramsHome(prepared.configuration.environment["HOME"], policy: policy)
        events?.begin(policy)
        let launcher = try launcher(of: start, for: policy)
        let run = SandboxRun(launcher, policy: policy, program: options.program, gate: gate) { event in
            switch event {
            case .stopped: signals.post(.stopped)
            case .denied(let denial): events?.post(denial)
            case .ended(let report, let denials): signals.post(.ended(report, denials))
            }
        }
        try parent?.begin(on: launcher.loop) { signals.post(.parentEnded) }
        let begun = ContinuousClock.now
        run.begin(prepared.takeConfiguration())
        start.watch.cancel()
        let job = JobControl(run, terminal: terminal, canStopAll: launcher.gives(.pid))
        let (report, denials) = signals.serve(run, terminal: terminal, job: job)
        // The program's time limit includes the time for reading its output. After the program's end, the remaining
        // output is read until both the time limit and the grace are over. If Annex ended the program, or the parent
        // ended, only the grace counts.
        let soonest = ContinuousClock.now + policy.limits.grace
        let isInHaste = report.wasEnded || signals.hasLostParent
        let deadline = isInHaste ? soonest : max(soonest, begun + policy.limits.request)
        streams.whenCarried { signals.wakeUp() }
        terminal?.whenCarried { signals.wakeUp() }
        terminal?.reclaimKeys()
        let impatience = signals.wait(before: deadline, terminal) {
            streams.isCarried && terminal?.isCarried != false
        }
        signals.close()
        if impatience != nil { terminal?.pause() } else { terminal?.finish() }
        return End(
            report: report, denials: denials, policy: policy, failed: impatience == nil ? streams.finish() : nil,
            file: file, impatience: impatience, notes: notes + EndNotes.ports(signals.listenedPorts), home: home,
            wasAsked: signals.hasAskedForEnd, signal: signals.shared(with: report, impatience))
    }

    private func launcher(of start: LauncherStart, for policy: Policy) throws -> Launcher {
        let launcher = try start.launcher()
        if options.bestEffort {
            WaiverAdvice.announce(Shortfall(missing: launcher.missingLayers).needed(by: policy))
        }
        return launcher
    }

    private func sandbox() throws -> Sandbox {
        var sandbox = Sandbox(policy: try limited(policy()))
        for layer in options.dispensable { sandbox.waive(layer) }
        if options.privateDirectory != nil { try checkPrivateDirectory(of: sandbox.policy) }
        sandbox.privateDirectory = options.privateDirectory
        if options.explain { sandbox.denials = .explain }
        return sandbox
    }

    /// Refuses limits that no policy can have.
    private func limited(_ policy: Policy) throws(WrongOption) -> Policy {
        let limited: Policy
        do {
            limited = try policy.limited(to: options.limits)
        } catch {
            throw WrongOption("--limit: \(error)")
        }
        if let wrong = EffectlessLimit(among: options.limit, in: limited.limits) {
            throw WrongOption("--limit: \(wrong.text)")
        }
        return limited
    }

    /// Refuses a private directory if the program would not see it.
    private func checkPrivateDirectory(of policy: Policy) throws(SandboxError) {
        if policy.paths.persistent != nil { return }
        throw SandboxError(
            "private directory",
            cause: "--private-directory: the policy \(policy.name) keeps no private directory from run to run",
            remedy: "leave the option out, or state a `persistent` private directory in a policy of your own")
    }

    private func policy() throws -> Policy {
        let files = PolicyFiles(option: options.policies)
        let choice = options.allowances.reduce(options.policy) { $0 + "+" + $1 }
        let policy: Policy
        if PolicyFiles.isFile(options.policy) {
            let (name, library) = try files.named(choice)
            policy = try library.policy(named: name)
        } else {
            policy = try .compiledAhead(named: choice, overriding: files.folder)
        }
        if options.allowLine.isEmpty { return policy }
        let lines = try PolicyFragment(lines: options.allowLine)
        if let call = NeverAllowed.call(allowedBy: lines) {
            throw SandboxError(
                "policy", cause: "--allow-line: \(NeverAllowed.clause), and a line would allow the call `\(call)`",
                remedy: "leave the line out, or state flags without CLONE_NEW…")
        }
        return try policy.joined(with: [lines])
    }

    private func program(under policy: Policy) throws -> SandboxProgram {
        var program = SandboxProgram(options.program[0])
        program.argumentBytes = try CommandBytes.arguments(of: options.program)
        for path in options.read { program.read(path) }
        for path in options.write { program.write(path) }
        for path in options.execute { program.execute(path) }
        for path in options.writeExecute { program.writeAndExecute(path) }
        for path in options.readAllBut { program.readAllButCredentials(path) }
        for pattern in options.hide { program.hide(pattern) }
        for pattern in options.protect { program.protect(pattern) }
        for group in options.unprotect { program.unprotect(group) }
        program.partNote = { StandardError.print("annex: note: \($0)") }
        let own = options.privateDirectory
        if let kept = try AllowedFiles.kept(from: given, policy: policy, privateDirectory: own) {
            program.execute(kept)
        }
        program.hosts = options.hosts
        program.ports = options.ports
        program.ports.isExclusive = !options.allow.contains("loopback")
        program.namingFile = options.namingFile
        program.directory = options.directory
        program.signals = SignalForwarder.inherited
        program.keepsCallersEnvironment = true
        if let home = HomeDirectory.shown(by: given, outside: given.directory) {
            program.environmentBytes["HOME"] = home
        }
        for entry in options.env {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = parts.first, !name.isEmpty else {
                throw SandboxError("environment", cause: "--env must be NAME or NAME=VALUE")
            }
            program.environmentBytes[name] = parts.count > 1 ? Array(parts[1].utf8) : OwnEnvironment.bytes(of: name)
        }
        return program
    }

    // MARK: - Reporting

    private func report(_ end: End) -> Outcome {
        let report = end.report
        // The report is written first, because the messages below may block or get lost.
        let loss = loss(of: report, for: end.file)
        StandardError.isPatient = false
        if report.wasEnded {
            let remedy = report.remedy.map { "; \($0)" } ?? ""
            StandardError.print("annex: ended: \(report.reason.rawValue): \(report.detail)\(remedy)")
        } else if report.reason == .launchFailed {
            let step = report.failedStep.map { "\($0): " } ?? ""
            StandardError.print("annex: not started: \(step)\(report.detail)" + (report.remedy.map { "; \($0)" } ?? ""))
            WaiverAdvice.give(after: report.failedStep ?? "", besides: options.dispensable, policy: end.policy)
        }
        if let failed = end.failed {
            let name =
                [STDOUT_FILENO: "stdout", STDERR_FILENO: "stderr"][failed.number]
                ?? "descriptor \(failed.number)"
            StandardError.print("annex: \(name): \(failed.error)")
        }
        if let impatience = end.impatience { StandardError.print("annex: \(text(impatience))") }
        if let loss { StandardError.print("annex: \(loss)") }
        let hints = RunHints(report, denials: end.denials, policy: end.policy, given: given, home: end.home)
        if options.explain { hints.explain() }
        let owners = OwnerHints(report, isRefused: errors.states(EACCES)).lines(
            read: options.read + options.execute, written: options.write + options.writeExecute)
        for line in owners { StandardError.print("annex: hint: \(line)") }
        let hint = hint(hints, isAboutOwner: !owners.isEmpty)?.withoutCredentials
        for note in end.notes + notes(end) { StandardError.print("annex: note: \(note)") }
        // `--explain` has listed these files already.
        if !options.explain, let note = ExecutionNote(end.denials, given: given), !note.isSaid(by: hint) {
            StandardError.print("annex: note: \(note.line)")
        }
        for note in PartNote.lines(report) { StandardError.print("annex: note: \(note)") }
        // A program may go on without the change: git pushes, but does not record the upstream in its settings.
        if report.exitCode == 0, let refusal = refusal(hints) { StandardError.print("annex: note: \(refusal)") }
        if let hint, !(options.explain && hints.isList(hint)) { StandardError.print("annex: hint: \(hint.line)") }
        // If the program itself failed, its own exit status takes precedence.
        let status = status(end)
        return Outcome(status: loss == nil || status != 0 ? status : 125, hint: hint, signal: end.signal)
    }

    /// What ended with the sandbox without a failure.
    private func notes(_ end: End) -> [String] {
        let lost = LostFiles(scratch, of: options.program, given: given, policy: end.policy, home: end.home)
        let owners = end.report.exitCode == 0 ? EndNotes.owners(end.denials) : []
        let empty = end.report.exitCode == 0 ? emptyDirectory.map { [$0.line] } ?? [] : []
        return empty + lost.lines + EndNotes.lines(end.report, policy: end.policy, wasAsked: end.wasAsked) + owners
    }

    /// What the program could not read or write, after a success.
    private func refusal(_ hints: RunHints) -> String? {
        let errors = errors
        let part = PartHint(report: hints.report, given: given).hint(for: errors)
        return part?.line ?? hints.unused(errors, tried: TriedOptions(options, given: given))
    }

    /// The errors in the last lines that the program printed.
    private var errors: StatedErrors {
        let here = SandboxProgram.callersDirectory
        let directory = options.directory.map { $0.hasPrefix("/") ? $0 : "\(here ?? "")/\($0)" }
        return StatedErrors(words.bytes, directory: directory ?? here)
    }

    /// Why the program probably failed.
    /// - Parameter isAboutOwner: whether a hint about the owner of a place was printed.
    private func hint(_ hints: RunHints, isAboutOwner: Bool) -> RunHint? {
        if let closed = closedProgram(hints) { return closed }
        let errors = errors
        let hasFailed = hints.report.reason == .exited && hints.report.exitCode != 0
        let names = hasFailed ? names.hint(for: errors) : nil
        if let names, errors.states(ENOENT) { return names }
        let hosts = hasFailed ? HostHint(denials: hints.denials).hint : nil
        if let hosts = hosts.flatMap(TriedOptions(options, given: given).without) { return hosts }
        let ports = PortHint(
            errors: errors, arguments: Array(options.program.dropFirst()), policy: hints.policy,
            denials: hints.denials, options: options)
        let tried = TriedOptions(options, given: given)
        let port = (hasFailed ? ports.hint : nil).flatMap(tried.without)
        if let port, hints.policy.network == .none || errors.mention("bind", "listen", "connect") { return port }
        let hint = hints.hint(errors, tried: tried, isExplained: options.explain, isAboutOwner: isAboutOwner)
        return hint ?? names ?? port ?? (hasFailed ? emptyDirectory : nil)
    }

    private var emptyDirectory: RunHint? {
        let hint = options.directory == nil ? EmptyDirectory(scratch, of: options.program, given: given)?.hint : nil
        return hint?.withoutCredentials
    }

    /// The hint if the program could not be started because its file belongs to another user.
    private func closedProgram(_ hints: RunHints) -> RunHint? {
        guard hints.report.reason == .launchFailed, options.program[0].contains("/"),
            let program = GivenPaths.resolved(options.program[0])
        else { return nil }
        return ClosedFileHint(policy: hints.policy, given: given, foreignPlaces: hints.report.foreignPlaces)
            .hint(program).flatMap(TriedOptions(options, given: given).without)
    }

    /// Why the report could not be written; nil if it was written.
    private func loss(of report: SandboxRunReport, for file: RunReportFile?) -> (any Error)? {
        do {
            try file?.write(report)
            return nil
        } catch {
            return error
        }
    }

    private func text(_ impatience: SignalForwarder.Impatience) -> String {
        switch impatience {
        case .signal(let number): "signal \(number) arrived before all output of the program was read"
        case .parentEnded: "the parent ended before all output of the program was read"
        case .late: "ended: timeLimit: the output of the program was not read in time"
        }
    }

    private func report(_ error: any Error) -> Int32 {
        if let wrong = error as? WrongOption {
            StandardError.print("annex: \(wrong.description)")
            return 64
        }
        guard let error = error as? SandboxError else {
            StandardError.print("annex: not started: \(error)")
            return 126
        }
        StandardError.print("annex: not started: \(error)")
        WaiverAdvice.give(after: error.step, besides: options.dispensable)
        return error.isMissing ? 127 : 126
    }

    private func status(_ end: End) -> Int32 {
        let report = end.report
        switch end.impatience {
        case .signal(let number): return 128 + number
        case .late, .parentEnded: return 125
        case nil: break
        }
        return switch report.reason {
        case .exited: report.exitCode ?? 0
        case .crashed: 128 + (report.signal ?? 0)
        case .launchFailed: 126
        default: 125
        }
    }
}

/// Starts the launcher on its own thread. The launcher examines this machine and waits for its warden. Meanwhile, the
/// caller prepares the launch.
final class LauncherStart: Sendable {
    /// Ends this process if a place does not answer while the caller prepares the launch.
    let watch: SilentPlaceWatch
    private let waived: Set<SandboxLayer>
    private let outcome = Mutex<Result<Launcher, SandboxError>?>(nil)
    /// Nil if the thread was joined, or if it could not be started.
    private let thread = Mutex<WorkerThread?>(nil)

    init(waiving waived: Set<SandboxLayer>, telling events: RunEvents?) {
        self.waived = waived
        watch = SilentPlaceWatch(telling: events)
        var started = try? WorkerThread("annex-start") { [self] in start() }
        thread.withLock { $0 = started.take() }
    }

    private func start() {
        watch.begin()
        let result = Result { () throws(SandboxError) in try Launcher.shared(waiving: waived) }
        outcome.withLock { $0 = result }
    }

    /// Waits for the launcher and returns it.
    func launcher() throws(SandboxError) -> Launcher {
        settle()
        if let result = outcome.withLock({ $0 }) { return try result.get() }
        return try Launcher.shared(waiving: waived)
    }

    /// Waits for the thread, so that the launcher's start is complete when the program ends.
    func settle() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        thread.join()
    }
}
