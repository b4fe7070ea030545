internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexSandbox
internal import Synchronization

/// One sandboxed process of a trial, from its launch to the kernel's last word about it.
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
        var waiter: CheckedContinuation<Ended, Never>?
    }

    private let state = Mutex(State())
    private let limits: PolicyLimits
    private let loop: EventLoop
    /// Counted from the program's own first step: how long a launch takes on a busy machine says nothing about it.
    private let watchdog: Duration

    private init(_ limits: PolicyLimits, _ loop: EventLoop, _ watchdog: Duration) {
        self.limits = limits
        self.loop = loop
        self.watchdog = watchdog
    }

    static func run(
        _ configuration: consuming SandboxConfiguration, with launcher: Launcher, limits: PolicyLimits,
        watchdog: Duration
    ) async throws(TrialFailure) -> Ended {
        let run = TrialRun(limits, launcher.loop, watchdog)
        // A closure cannot take what it captured; an optional lets it.
        var configuration: SandboxConfiguration? = consume configuration
        return await withCheckedContinuation { waiter in
            run.state.withLock { $0.waiter = waiter }
            guard let configuration = configuration.take() else { return }
            run.start(configuration, with: launcher)
        }
    }

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
        case .started, .stopped: break
        case .died: state.withLock { $0.hasDied = true }
        case .executed(let report):
            state.withLock { $0.report = report }
            limit(watchdog)
        // As the broker does: the first call that only an attack makes is the last, and probing has an end.
        case .denied(let denial, let total): if denial.answer == .ended || total > limits.refusals { kill() }
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
            state.isOver = true
            state.process = nil
            defer {
                state.waiter = nil
                state.timers = []
            }
            return (state.waiter, Ended(end: end, report: state.report, isOverdue: state.isOverdue), state.timers)
        }
        for timer in timers { timer.cancel() }
        waiter?.resume(returning: ended)
    }
}
