package import AnnexLaunch
internal import AnnexLinux
package import AnnexPolicy
internal import Glibc
internal import Synchronization

/// One program from its launch to its report. The run enforces limits, decides on denials and forwards signals.
package final class SandboxRun: Sendable {
    package enum Event: Sendable {
        /// The program's own code runs.
        case executed
        /// A signal stopped the program. The program waits until another signal continues it.
        case stopped(signal: Int32)
        /// The run is over. This event comes last, and exactly once.
        case ended(SandboxRunReport, denials: [Denial])
    }

    private struct State {
        var process: SandboxedProcess?
        /// The program's process number on the host; nil before the program has a number.
        var number: Int32?
        var cause: RunCause?
        var report: SandboxReport?
        /// The time at which the program must have ended, on the monotonic clock.
        var deadline = UInt64.max
        /// Whether `keepingTime` was ever used. If so, a helper process (the stand-in) may have killed the program at
        /// the deadline.
        var hadStandIn = false
        var timers: [EventLoop.Timer] = []
        var disk: Watch<DiskWatch>?
        var space: Watch<FreeSpaceWatch>?
        /// Whether the kernel has reported the death of the program.
        var hasDied = false
        var isOver = false
        var recording: Recording?
    }

    /// How long the kernel may take to end a killed process before the process is reported as `stuck`.
    static let death = Duration.seconds(10)

    private let launcher: Launcher
    private let policy: Policy
    private let program: [String]
    private let begun = MonotonicClock.now()
    private let events: @Sendable (Event) -> Void
    private let state = Mutex(State())

    package init(
        _ launcher: Launcher, policy: Policy, program: [String], events: @escaping @Sendable (Event) -> Void
    ) {
        self.launcher = launcher
        self.policy = policy
        self.program = program
        self.events = events
    }

    /// Begins the launch. All its results, including failures, arrive as events on the loop's thread.
    package func begin(_ configuration: consuming SandboxConfiguration) {
        if let kept = policy.paths.persistent { watchDisk(&configuration, of: kept) }
        do throws(SandboxError) {
            try watchSpace()
            // The closure keeps this run alive until it has received the end.
            let process = try launcher.launch(configuration) { self.receive($0) }
            let isLate = state.withLock { state in
                state.process = process
                return state.cause != nil
            }
            if isLate { process.kill() }
            schedule(policy.limits.launch) { [weak self] in self?.endUnexecuted() }
        } catch {
            receive(.ended(SandboxEnd(failure: error)))
        }
    }

    /// The record of the run, available after the program has ended; nil unless the mode is `learn`.
    package var recording: Recording? { state.withLock { $0.recording } }

    /// Forwards a signal to the program, as a terminal or a service manager would send it.
    /// - Returns: false if the program has already ended.
    @discardableResult
    package func send(_ signal: Int32) -> Bool {
        state.withLock { $0.process }?.send(signal) ?? false
    }

    /// Asks the program to end, and kills it if it has not ended after the policy's grace.
    /// - Returns: false if the program has already ended.
    @discardableResult
    package func stop(_ signal: Int32 = SIGTERM) -> Bool {
        let isSent = send(signal)
        schedule(policy.limits.grace, cause: .cancelled)
        return isSent
    }

    /// Kills the program at once and records this cause.
    func end(_ cause: RunCause) {
        let process = state.withLock { state -> SandboxedProcess? in
            // A cause that arrives after the death did not cause the death, even if the death is not reported yet.
            guard !state.isOver, !state.hasDied else { return nil }
            if state.cause == nil { state.cause = cause }
            return state.process
        }
        guard let process else { return }
        process.kill()
        awaitDeath()
    }

    /// Waits for the death of a killed program. If the timer fires late, the whole machine was suspended, so the
    /// process had no time to die. In that case this method waits once more.
    private func awaitDeath(isLast: Bool = false) {
        let late = MonotonicClock.deadline(after: Self.death + .milliseconds(100))
        schedule(Self.death) { [weak self] in
            if isLast || MonotonicClock.now() < late { self?.giveUp() } else { self?.awaitDeath(isLast: true) }
        }
    }

    /// Runs `body`, which may stop this process. While this process is stopped, its timers do not run. So a helper
    /// process (the stand-in) kills the program if the program's deadline passes meanwhile.
    package func keepingTime<Result>(_ body: () -> Result) -> Result {
        let (process, deadline) = state.withLock { state in
            state.hadStandIn = true
            return (state.process, state.deadline)
        }
        let standIn = process?.standIn(until: deadline)
        let result = body()
        _ = consume standIn
        return result
    }

    // MARK: - Events of the sandbox

    private func receive(_ event: SandboxEvent) {
        switch event {
        case .started(let number): state.withLock { $0.number = number }
        case .executed(let report):
            state.withLock { state in
                state.report = report
                state.deadline = MonotonicClock.deadline(after: policy.limits.request)
            }
            schedule(policy.limits.request, cause: .timeLimit)
            events(.executed)
        case .stopped(let signal): events(.stopped(signal: signal))
        case .denied(let denial, let total):
            if denial.answer == .ended || total > policy.limits.denials { end(.deniedOperation(denial)) }
        case .aborted: end(.aborted)
        case .wrote(let total): if total > policy.limits.output { end(.outputLimit) }
        case .died: recordDeath()
        case .ended(let end): finish(end)
        }
    }

    private func recordDeath() {
        state.withLock { state in
            state.hasDied = true
            if state.hadStandIn, state.cause == nil, MonotonicClock.now() >= state.deadline { state.cause = .timeLimit }
        }
    }

    private func finish(_ end: SandboxEnd) {
        let (last, timers) = state.withLock { state -> (State?, [EventLoop.Timer]) in
            guard !state.isOver else { return (nil, []) }
            state.isOver = true
            state.recording = end.denialSummary.recording
            defer {
                state.process = nil
                state.number = nil
                state.timers = []
                state.disk = nil
                state.space = nil
            }
            return (state, state.timers)
        }
        for timer in timers { timer.cancel() }
        guard let last else { return }
        let elapsed = Duration.nanoseconds(Int64(clamping: MonotonicClock.now() - begun))
        events(
            .ended(
                SandboxRunReport(
                    program: program, policy: policy, cause: last.cause, end: end, launch: last.report,
                    elapsed: elapsed), denials: end.denials))
    }

    /// Runs when the launch limit has passed, even if the program was executed in time. `executed` does not cancel this
    /// timer, because finding the timer among all others would take time. So this function checks whether the launch
    /// has reported that the program runs.
    private func endUnexecuted() {
        if state.withLock({ $0.report == nil }) { end(.launchLimit) }
    }

    /// Reports a killed program as `stuck`, and stops waiting for it.
    private func giveUp() {
        let isStuck = state.withLock { state in
            guard !state.isOver, !state.hasDied else { return false }
            state.cause = .stuck
            return true
        }
        if isStuck { finish(SandboxEnd()) }
    }

    // MARK: - Limits

    private func schedule(_ duration: Duration, cause: RunCause) {
        schedule(duration) { [weak self] in self?.end(cause) }
    }

    private func schedule(_ duration: Duration, _ job: @escaping @Sendable () -> Void) {
        let timer = launcher.loop.schedule(after: duration, job)
        let isOver = state.withLock { state in
            if !state.isOver { state.timers.append(timer) }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }

    private func watchDisk(_ configuration: inout SandboxConfiguration, of kept: PolicyPaths.PrivateDirectory) {
        let held: Descriptor?
        switch configuration.persistent {
        case .some(let directory): held = try? directory.duplicate()
        case .none: held = nil
        }
        guard let held else { return }
        let subject = DiskWatch(
            of: held, at: kept.path, in: { [weak self] in self?.numbers ?? [] }, size: kept.size,
            inodes: kept.inodes
        ) { [weak self] in self?.end(.diskLimit($0)) }
        let watch = Watch(subject, orOn: launcher.loop)
        state.withLock { $0.disk = watch }
    }

    /// The number of the program on the host, once it has one.
    private var numbers: [Int32] { state.withLock { $0.number }.map { [$0] } ?? [] }

    /// Watches the free space of file systems that the program may write to. Only the size of the disk limits the bytes
    /// that the program writes there.
    private func watchSpace() throws(SandboxError) {
        let written = policy.paths.grants.filter { $0.rights.contains(.write) }.map(\.path)
        let subject = try SandboxError.step("free space") { () throws(SystemError) in
            try FreeSpaceWatch(of: written) { [weak self] in self?.end(.diskLimit($0)) }
        }
        guard let subject else { return }
        let watch = Watch(subject, orOn: launcher.loop)
        state.withLock { $0.space = watch }
    }
}
