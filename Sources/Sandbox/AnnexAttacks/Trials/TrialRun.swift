internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Synchronization

/// One sandboxed process of a trial, from its launch to the last event about it.
final class TrialRun: Sendable {
    struct Ended: Sendable {
        let end: SandboxEnd
        let report: SandboxReport?
        let isOverdue: Bool
    }

    private struct State {
        var process: SandboxedProcess?
        var report: SandboxReport?
        var timers: [EventLoop.Timer] = []
        var mustDie = false
        var isOverdue = false
        var hasDied = false
        var isOver = false
        /// The process's number on the host.
        var number: Int32?
        var ended: Ended?
        var waiter: CheckedContinuation<Ended, Never>?
    }

    private let state = Mutex(State())
    private let limits: PolicyLimits
    private let loop: EventLoop
    /// The time limit. It counts from the program's own first step, because the time of a launch on a busy machine must
    /// not count.
    private let watchdog: Duration

    private init(_ limits: PolicyLimits, on loop: EventLoop, watchdog: Duration) {
        self.limits = limits
        self.loop = loop
        self.watchdog = watchdog
    }

    /// Starts the process. A failed launch is reported as an end.
    static func begin(
        _ configuration: consuming SandboxConfiguration, with launcher: Launcher, limits: PolicyLimits,
        watchdog: Duration
    ) -> TrialRun {
        let run = TrialRun(limits, on: launcher.loop, watchdog: watchdog)
        run.start(configuration, with: launcher)
        return run
    }

    /// Returns when the process is gone. Only one caller may call this function.
    func ended() async -> Ended {
        await withCheckedContinuation { waiter in
            let ended = state.withLock { state in
                if state.ended == nil { state.waiter = waiter }
                return state.ended
            }
            if let ended { waiter.resume(returning: ended) }
        }
    }

    /// The process's number on the host; nil before the process has started and after its end.
    var process: Int32? { state.withLock { $0.hasDied || $0.isOver ? nil : $0.number } }
    /// Whether the process is gone, or never existed.
    var hasEnded: Bool { state.withLock { $0.hasDied || $0.isOver } }

    private func start(_ configuration: consuming SandboxConfiguration, with launcher: Launcher) {
        do throws(SandboxError) {
            let process = try launcher.launch(configuration) { [self] in receive($0) }
            let mustDie = state.withLock { state in
                if !state.isOver { state.process = process }
                return state.mustDie
            }
            if mustDie { process.kill() }
            limit(TrialSandbox.watchdog)
        } catch {
            receive(.ended(SandboxEnd(failure: error)))
        }
    }

    private func receive(_ event: SandboxEvent) {
        switch event {
        case .started(let number): state.withLock { $0.number = number }
        case .stopped: break
        case .died: state.withLock { $0.hasDied = true }
        case .executed(let report):
            state.withLock { $0.report = report }
            limit(watchdog)
        // As in the broker, the program is ended if it makes a call that only an attack makes, or after too many
        // refusals.
        case .denied(let denial, let total): if denial.answer == .ended || total > limits.denials { kill() }
        case .aborted: kill()
        case .wrote(let total): if total > limits.output { kill() }
        case .ended(let end): finish(end)
        }
    }

    private func limit(_ duration: Duration) {
        let timer = loop.schedule(after: duration) { [weak self] in self?.runOut() }
        let isOver = state.withLock { state in
            if !state.isOver { state.timers.append(timer) }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }

    private func runOut() {
        state.withLock { if !$0.isOver, !$0.hasDied { $0.isOverdue = true } }
        kill()
    }

    private func kill() {
        let process = state.withLock { state in
            state.mustDie = true
            return state.process
        }
        process?.kill()
    }

    private func finish(_ end: SandboxEnd) {
        let (waiter, ended, timers) = state.withLock { state in
            let ended = Ended(end: end, report: state.report, isOverdue: state.isOverdue)
            state.isOver = true
            state.process = nil
            state.ended = ended
            defer {
                state.waiter = nil
                state.timers = []
            }
            return (state.waiter, ended, state.timers)
        }
        for timer in timers { timer.cancel() }
        waiter?.resume(returning: ended)
    }
}
