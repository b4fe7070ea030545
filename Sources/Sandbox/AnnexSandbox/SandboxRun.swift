package import AnnexLaunch
internal import AnnexLinux
package import AnnexPolicy
package import AnnexSupervision
internal import Glibc
internal import Synchronization

/// One program from its launch to its report. The program is supervised like an extension, but says no hello, has no
/// watchdog and needs no slot.
package final class SandboxRun: SupervisedProcess {
    package enum Event: Sendable {
        /// A signal stopped the program. The program waits until another signal continues it.
        case stopped(signal: Int32)
        /// The program made its first denied call of a kind, or used a denied path for the first time.
        case denied(Denial)
        /// The run is over. This event comes last, and exactly once.
        case ended(SandboxRunReport, denials: [Denial])
    }

    private struct State: ~Copyable {
        var configuration: SandboxConfiguration?
        var disk: Watch<DiskWatch>?
        var space: Watch<FreeSpaceWatch>?
        var recording: Recording?
        /// Why the program was asked to end, if its report must say so.
        var stopNote: String?
        /// The kinds of denials so far.
        var kinds: Set<Denial.Key> = []
    }

    package let supervision: Supervision
    private let launcher: Launcher
    private let policy: Policy
    private let program: [String]
    private let gate: PortGate?
    private let begun = Moment.now
    private let events: @Sendable (Event) -> Void
    private let state = Mutex(State())

    package init(
        _ launcher: Launcher, policy: Policy, program: [String], gate: PortGate? = nil,
        events: @escaping @Sendable (Event) -> Void
    ) {
        supervision = Supervision(of: .program, limits: policy.limits, on: launcher.loop)
        self.launcher = launcher
        self.policy = policy
        self.program = program
        self.gate = gate
        self.events = events
    }

    /// Begins the launch. All its results, including failures, arrive as events.
    package func begin(_ configuration: consuming SandboxConfiguration) {
        // A closure cannot consume a captured value, but it can take the value out of an optional.
        var given: SandboxConfiguration? = consume configuration
        state.withLock { $0.configuration = given.take() }
        apply(.asked)
    }

    /// The record of the run, available after the program has ended; nil unless the mode is `learn`.
    package var recording: Recording? { state.withLock { $0.recording } }

    /// Forwards a signal to the program, as a terminal or a service manager would send it.
    /// - Returns: false if the program has already ended.
    @discardableResult
    package func send(_ signal: Int32) -> Bool { supervision.process?.send(signal) ?? false }

    /// The number of the program's process; nil before its start.
    package var number: Int32? { supervision.number }

    /// Asks the program to end, and kills it if it has not ended after the policy's grace.
    /// - Returns: false if the program has already ended.
    @discardableResult
    package func stop(_ signal: Int32 = SIGTERM) -> Bool {
        let isSent = send(signal)
        apply(.dismissed(.cancelled))
        return isSent
    }

    /// Asks the program to end as `stop` does, because the process that started this process has ended.
    package func stopAsOrphan() {
        state.withLock { $0.stopNote = "the parent ended" }
        stop()
    }

    /// Runs `body`, which may stop this process. While this process is stopped, its timers do not run. So a helper
    /// process (the stand-in) kills the program if the program's deadline passes meanwhile.
    package func keepingTime<Result>(_ body: () -> Result) -> Result {
        apply(.standInTook)
        let deadline = supervision.withLife { $0.requestLimit }
        let standIn = supervision.process?.standIn(until: deadline?.nanoseconds ?? .max)
        let result = body()
        _ = consume standIn
        return result
    }

    // MARK: - The life

    package func note(_ event: SandboxEvent) {
        switch event {
        case .stopped(let signal): events(.stopped(signal: signal))
        case .executed: openGate()
        case .denied(let denial, _): if isNew(denial) { events(.denied(denial)) }
        default: break
        }
    }

    /// The most kinds of denials that are told while the program runs.
    private static let mostKinds = 320

    private func isNew(_ denial: Denial) -> Bool {
        state.withLock { state in
            state.kinds.count < Self.mostKinds && state.kinds.insert(denial.key).inserted
        }
    }

    private func openGate() {
        do throws(SandboxError) {
            try gate?.open()
        } catch {
            supervision.process?.fail(error)
        }
    }

    package func perform(_ effect: Lifecycle.Effect) {
        switch effect {
        case .launch: launch()
        case .finish(let cause): finish(cause)
        // A program has no slot and no channel, and a busy machine is no excuse for it.
        default: break
        }
    }

    private func launch() {
        guard var configuration = state.withLock({ $0.configuration.take() }) else { return }
        if let kept = policy.paths.persistent { watchDisk(&configuration, of: kept) }
        do throws(SandboxError) {
            try watchSpace()
            try launch(configuration, by: launcher)
        } catch {
            fail(error)
        }
    }

    private func finish(_ cause: EndCause?) {
        let (ending, facts) = supervision.conclude(cause)
        let note = state.withLock { state in
            state.configuration = nil
            state.disk = nil
            state.space = nil
            state.recording = facts.denialSummary.recording
            return state.stopNote
        }
        let report = SandboxRunReport(
            program: program, policy: policy, ending: ending, note: note, facts: facts, launch: supervision.report,
            elapsed: Moment.now.since(begun))
        let end = Event.ended(report, denials: facts.denials)
        guard let gate else { return events(end) }
        // What the program sent before its end still reaches its receivers.
        gate.close(within: policy.limits.grace) { [events] in events(end) }
    }

    // MARK: - Limits

    private func watchDisk(_ configuration: inout SandboxConfiguration, of kept: PolicyPaths.PrivateDirectory) {
        let held: Descriptor?
        switch configuration.persistent {
        case .some(let directory): held = try? directory.duplicate()
        case .none: held = nil
        }
        guard let held else { return }
        let subject = DiskWatch(
            of: held, at: kept.path, in: { [weak self] in self?.supervision.number.map { [$0] } ?? [] },
            size: kept.size,
            inodes: kept.inodes
        ) { [weak self] in self?.end(for: .diskLimit($0)) }
        let watch = Watch(subject, orOn: launcher.loop)
        state.withLock { $0.disk = watch }
    }

    /// Watches the free space of file systems that the program may write to. Only the size of the disk limits the bytes
    /// that the program writes there.
    private func watchSpace() throws(SandboxError) {
        let written = policy.paths.grants.filter { $0.rights.contains(.write) }.map(\.path)
        let subject = try SandboxError.step("free space") { () throws(SystemError) in
            try FreeSpaceWatch(of: written) { [weak self] in self?.end(for: .diskLimit($0)) }
        }
        guard let subject else { return }
        let watch = Watch(subject, orOn: launcher.loop)
        state.withLock { $0.space = watch }
    }
}
