internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import AnnexSandbox
internal import Synchronization

/// One launched extension: feeds what happens to its life and does what that answers. The only place with effects.
final class SupervisedExtension: ExtensionHandle {
    struct Running: ~Copyable {
        var life: Lifecycle
        /// Inputs that wait their turn, each with its moment. Whoever finds nobody at work works them off, so that
        /// effects happen in the order of their inputs without a thread of their own, also when an effect brings the
        /// next input.
        var waiting: [(input: Lifecycle.Input, moment: Moment)] = []
        var isAtWork = false
        /// What is to be launched as soon as there is a place for it.
        var configuration: SandboxConfiguration?
        var launcher: Launcher?
        var place: InstanceSlots.Slot?
        var process: SandboxedProcess?
        var timer: EventLoop.Timer?
        var report: SandboxReport?
        /// When it got its place.
        var granted: Moment?
        /// When it said hello.
        var hello: Moment?
        /// What it said it was doing last.
        var activity: String?
        /// Whether the kernel said that it is gone.
        var hasDied = false
        var ended: SandboxEnd?
        /// Until it has ended: an endpoint holds the event handler, which holds this.
        var host: HostEnd?
        /// What went through its channel, as a host elsewhere said last.
        var counts: SessionStatistics?
        /// What whoever looks from outside sees.
        var board: LiveStatusEntry
        /// What it was launched from, until it has ended.
        var installed: Installed?
        /// Whether its host has said that nobody needs it yet.
        var isParked = false
    }

    let running: Mutex<Running>
    let identifier: String
    let limits: PolicyLimits
    let policy: String
    let asked = Moment.now
    let loop: EventLoop
    let slots: InstanceSlots
    let events: @Sendable (ExtensionEvent) -> Void
    /// Told once it has ended, so that the broker can let go of this extension.
    let onEnd: @Sendable (EndedExtension) -> Void

    /// - Parameter place: the one that it has already; else it asks for one.
    init(
        _ installed: Installed, policy: Policy, timeLimit: Duration?, host: HostEnd, launcher: Launcher,
        slots: InstanceSlots,
        place: InstanceSlots.Slot? = nil, events: @escaping @Sendable (ExtensionEvent) -> Void,
        onEnd: @escaping @Sendable (EndedExtension) -> Void
    ) {
        var limits = policy.limits
        if let timeLimit { limits.tighten(request: timeLimit) }
        identifier = installed.identifier
        self.limits = limits
        self.policy = policy.name
        loop = launcher.loop
        self.slots = slots
        self.events = events
        self.onEnd = onEnd
        var running = Running(
            life: Lifecycle(LifecycleTimes(limits)),
            board: LiveStatusEntry(installed.identifier, policy: policy.name, memoryLimit: limits.memory))
        running.installed = installed
        running.board.note(host)
        running.host = host
        running.launcher = launcher
        running.place = place
        self.running = Mutex(running)
    }

    /// Starts the process as soon as there is a place. What goes wrong is told as an end, like everything later.
    func start(_ configuration: consuming SandboxConfiguration) {
        // A closure cannot take what it captured; an optional lets it.
        var given: SandboxConfiguration? = consume configuration
        running.withLock { $0.configuration = given.take() }
        apply(.asked)
    }

    // MARK: What the host says

    func saidHello() { apply(.saidHello) }
    func requestBegan(_ request: UInt64) { apply(.requestBegan(request)) }
    func requestEnded(_ request: UInt64) { apply(.requestEnded(request)) }
    func overstayed() { apply(.mustEnd(.timeLimit)) }
    func gaveSign() { apply(.gaveSign) }
    func passedPingOn() { apply(.pingPassedOn) }
    func activityBegan(_ reason: String) {
        running.withLock { $0.activity = reason }
        apply(.activityBegan)
    }

    func activityEnded() { apply(.activityEnded) }
    func dismiss(completed: Bool) { apply(.dismissed(completed ? .completed : .cancelled)) }
    func channelClosed() { apply(.channelClosed) }
    func counted(_ counts: SessionStatistics) { running.withLock { $0.counts = counts } }

    func park() {
        let (lent, installed) = running.withLock { running in
            running.board.note(isParked: true, running.life)
            running.isParked = true
            return (running.place, running.installed)
        }
        guard let lent, let installed else { return }
        // An update reaches what nobody uses at once: no later request is to meet the old program.
        guard !installed.isReplaced else { return end(for: .cancelled) }
        slots.lend(lent) { [weak self, loop] in
            // Never from the wish of another one: ending this gives its place on.
            loop.execute { [weak self] in self?.end(for: .cancelled) }
        }
    }

    func claim() -> Bool {
        // One that is being ended has its place until it is gone.
        let held = running.withLock { running -> (place: InstanceSlots.Slot, installed: Installed)? in
            guard running.life.state == .serving, let place = running.place, let installed = running.installed else {
                return nil
            }
            return (place, installed)
        }
        guard let held else { return false }
        guard !held.installed.isReplaced else {
            end(for: .cancelled)
            return false
        }
        guard slots.claim(held.place) else { return false }
        running.withLock { running in
            running.isParked = false
            running.board.note(isParked: false, running.life)
        }
        return true
    }

    /// One that nobody uses ends where another installation has taken its place; one at work goes on to its end.
    func endIfParkedAndReplaced() {
        let installed = running.withLock { $0.isParked ? $0.installed : nil }
        if installed?.isReplaced ?? false { end(for: .cancelled) }
    }

    func violated(_ violation: ProtocolViolation) {
        apply(.mustEnd(violation.isBudget ? .messageBudget(violation.text) : .protocolViolation(violation.text)))
    }

    /// The broker has a cause of its own.
    func end(for cause: EndCause) { apply(.mustEnd(cause)) }

    // MARK: What the sandbox says

    func receive(_ event: SandboxEvent) {
        switch event {
        case .started(let process):
            running.withLock { $0.board.note(process: process) }
            apply(.started)
        case .executed(let report):
            running.withLock { $0.report = report }
            apply(.executed)
        case .denied(let denial, let total): judge(denial, total: total)
        case .aborted: apply(.mustEnd(.aborted))
        case .wrote(let total): if total > limits.output { apply(.mustEnd(.outputLimit)) }
        // Who stopped itself answers nothing: its deadlines end it.
        case .stopped: break
        case .died: running.withLock { $0.hasDied = true }
        case .ended(let end):
            running.withLock { $0.ended = end }
            apply(.gone)
        }
    }

    private func judge(_ denial: Denial, total: Int) {
        running.withLock { $0.board.note(denials: total) }
        if denial.answer == .ended || total > limits.refusals { apply(.mustEnd(.deniedOperation(denial))) }
    }

    // MARK: One after another

    func apply(_ input: Lifecycle.Input) {
        let mustWork = running.withLock { running in
            // What comes between its death and the word of it changes nothing about what it died of.
            guard !running.hasDied || input == .gone else { return false }
            // Inside the lock: moments are in the order of their inputs.
            running.waiting.append((input, .now))
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
            let (input, moment) = running.waiting.removeFirst()
            if input == .placeGranted { running.granted = moment }
            if input == .saidHello { running.hello = moment }
            defer { running.board.note(input, at: moment, running.life) }
            return running.life.handle(input, at: moment)
        }
    }
}
