internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import AnnexSandbox
internal import AnnexService
internal import Synchronization

/// One launched extension: feeds what happens to its life and does what that answers. The only place with effects.
final class SupervisedExtension: ExtensionHandle {
    private struct Running: ~Copyable {
        var life = Lifecycle()
        /// Events that wait their turn. Whoever finds nobody at work works them off, so that effects happen in the
        /// order of their events without a thread of their own, also when an effect brings the next event.
        var waiting: [Lifecycle.Event] = []
        var isAtWork = false
        var process: SandboxedProcess?
        var timers: [Lifecycle.Limit: EventLoop.Timer] = [:]
        var report: SandboxReport?
        var ended: SandboxEnd?
    }

    /// How long a launch may wait for the warden, which makes a process within milliseconds.
    static let queue = Duration.seconds(10)
    /// How long the kernel's word about a killed process is awaited.
    static let death = Duration.seconds(5)
    /// How long an extension that closed its channel may take to be gone.
    static let silence = Duration.seconds(5)

    private let running = Mutex(Running())
    private let limits: PolicyLimits
    private let policy: String
    private let loop: EventLoop
    private let events: @Sendable (ExtensionEvent) -> Void
    /// Told once the process is gone, so that the broker can let go of this extension.
    private let onEnd: @Sendable () -> Void

    init(
        policy: Policy, timeLimit: Duration?, loop: EventLoop, events: @escaping @Sendable (ExtensionEvent) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        var limits = policy.limits
        if let timeLimit { limits.tighten(request: timeLimit) }
        self.limits = limits
        self.policy = policy.name
        self.loop = loop
        self.events = events
        self.onEnd = onEnd
    }

    /// Starts the process. What goes wrong before there is one is told as an end, like everything later.
    func start(_ configuration: consuming SandboxConfiguration, with launcher: Launcher) {
        apply(.asked)
        do throws(SandboxError) {
            // The reference of the closure keeps a supervised extension alive until the kernel's last word.
            let process = try launcher.launch(configuration) { [self] in receive($0) }
            let state = running.withLock { running in
                // Its end may have been told already; kept now, it and this would keep each other for ever.
                if running.life.state != .ended { running.process = process }
                return running.life.state
            }
            if case .ending = state { process.kill() }
        } catch {
            running.withLock { $0.ended = SandboxEnd(failure: error) }
            apply(.gone)
        }
    }

    // MARK: What the host says

    func saidHello() { apply(.saidHello) }
    func requestBegan() { apply(.requestBegan) }
    func requestEnded() { apply(.requestEnded) }
    func overstayed() { apply(.mustEnd(.timeLimit)) }
    func dismiss(completed: Bool) { apply(.dismissed(completed ? .completed : .cancelled)) }
    func channelClosed() { apply(.channelClosed) }

    func violated(_ violation: ProtocolViolation) {
        apply(.mustEnd(violation.isBudget ? .messageBudget(violation.text) : .protocolViolation(violation.text)))
    }

    func shutDown() { apply(.mustEnd(.brokerShutdown)) }

    // MARK: What the sandbox says

    private func receive(_ event: SandboxEvent) {
        switch event {
        case .started: apply(.started)
        case .executed(let report):
            running.withLock { $0.report = report }
            apply(.executed)
        case .denied(let denial, let total): judge(denial, total: total)
        case .aborted: apply(.mustEnd(.aborted))
        case .wrote(let total): if total > limits.output { apply(.mustEnd(.outputLimit)) }
        // Who stopped itself answers nothing: its deadlines end it.
        case .stopped: break
        case .ended(let end):
            running.withLock { $0.ended = end }
            apply(.gone)
        }
    }

    private func judge(_ denial: Denial, total: Int) {
        if denial.answer == .ended {
            apply(.mustEnd(.deniedOperation(denial)))
        } else if total > limits.refusals {
            apply(.mustEnd(.deniedOperation(denial)))
        }
    }

    // MARK: Effects

    private func apply(_ event: Lifecycle.Event) {
        let mustWork = running.withLock { running in
            running.waiting.append(event)
            defer { running.isAtWork = true }
            return !running.isAtWork
        }
        guard mustWork else { return }
        while let effects = nextEffects() {
            for effect in effects { perform(effect) }
        }
    }

    private func nextEffects() -> [Lifecycle.Effect]? {
        running.withLock { running in
            guard !running.waiting.isEmpty else {
                running.isAtWork = false
                return nil
            }
            return running.life.handle(running.waiting.removeFirst())
        }
    }

    private func perform(_ effect: Lifecycle.Effect) {
        switch effect {
        case .arm(let limit): arm(limit)
        case .disarm(let limit): running.withLock { $0.timers.removeValue(forKey: limit) }?.cancel()
        case .announce: events(.ready(launchReport()))
        case .sayGoodbye: events(.goodbye)
        case .kill: running.withLock { $0.process }?.kill()
        case .finish(let cause): finish(cause)
        }
    }

    private func arm(_ limit: Lifecycle.Limit) {
        let timer = loop.schedule(after: duration(of: limit)) { [weak self] in self?.apply(.elapsed(limit)) }
        running.withLock { $0.timers.updateValue(timer, forKey: limit) }?.cancel()
    }

    private func duration(of limit: Lifecycle.Limit) -> Duration {
        switch limit {
        // Who lets a launch take longer has a machine on which everything takes longer.
        case .queue: max(Self.queue, limits.launch)
        case .launch: limits.launch
        case .request: limits.request
        case .grace: limits.grace
        case .silence: Self.silence
        case .death: Self.death
        }
    }

    private func finish(_ cause: EndCause?) {
        let end = running.withLock { running in
            running.process = nil
            return running.ended
        }
        events(.ended(Termination(cause, end: end ?? SandboxEnd(), limits: limits)))
        onEnd()
    }

    private func launchReport() -> LaunchReport {
        guard let report = running.withLock({ $0.report }) else { return .unknown }
        return LaunchReport(report, policy: policy, limits: limits, hello: MonotonicClock.now())
    }
}
