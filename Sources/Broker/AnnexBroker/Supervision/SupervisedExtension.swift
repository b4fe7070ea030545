internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import AnnexRegistry
internal import AnnexSupervision
internal import Synchronization

/// One launched extension. This object passes the reports of the host to the extension's `Lifecycle`, and performs the
/// effects that concern hosts, slots and channels.
final class SupervisedExtension: ExtensionHandle, SupervisedProcess {
    struct Running: ~Copyable {
        /// The configuration of the launch. It is kept until an instance slot is granted.
        var configuration: SandboxConfiguration?
        var launcher: Launcher?
        var slot: InstanceSlots.Slot?
        /// The private directory; nil if there is none, and after the end.
        var kept: KeptDirectory?
        /// The portal, a socket for the extension's requests to the broker. It is nil if the extension has no portal,
        /// and after the end.
        var portal: ExtensionPortal?
        var disk: Watch<DiskWatch>?
        /// The watches of the sizes of the extension's groups.
        var quotas: [Watch<GroupQuota>] = []
        /// The watches of the extension's locks in these groups.
        var lockQuotas: [Watch<LockQuota>] = []
        /// When the instance slot was granted.
        var granted: Moment?
        /// When the extension said hello.
        var hello: Moment?
        /// The extension's own words for the activity that it began last.
        var activity: String?
        /// The host's side of the channel; nil after the extension has ended. Setting this property to nil breaks a
        /// reference cycle: the endpoint holds the event handler, which holds this object.
        var host: HostEnd?
        /// The latest counts of the channel that a remote host reported.
        var counts: SessionStatistics?
        /// The entry on the broker's board, for `annex top`.
        var board: LiveStatusEntry
        /// The installation that the extension was launched from; nil after the end.
        var installed: Installed?
        /// Whether the extension is parked.
        var isParked = false
        var facts: LifeFacts
    }

    let supervision: Supervision
    /// This lock may be taken while the supervision's lock is held, and not the other way round.
    let running: Mutex<Running>
    let identifier: String
    let instance: Instance
    let policy: String
    let point: String
    /// Whether nothing that the extension prints or says may be kept.
    let hasPrivateInput: Bool
    /// How the files in the private directory get their owner; nil if there is no private directory.
    let privateDirectory: LaunchReport.PrivateOwner?
    let asked = Moment.now
    let slots: InstanceSlots
    let events: @Sendable (ExtensionEvent) -> Void
    /// This closure is called once, when the extension has ended, so that the broker can release the extension.
    let onEnd: @Sendable (EndedExtension) -> Void

    /// - Parameters:
    ///   - origin: the host's own name for the source of the session's requests; nil if the host named none.
    ///   - slot: an instance slot that is already taken for the extension. It is nil if the extension must ask for a
    ///     slot.
    init(
        _ installed: Installed, policy: Policy, timeLimit: Duration?, origin: String?, host: HostEnd,
        launcher: Launcher,
        slots: InstanceSlots, slot: InstanceSlots.Slot? = nil, kept: KeptDirectory? = nil,
        portal: ExtensionPortal? = nil, events: @escaping @Sendable (ExtensionEvent) -> Void,
        onEnd: @escaping @Sendable (EndedExtension) -> Void
    ) {
        var limits = policy.limits
        if let timeLimit { limits.tighten(request: timeLimit) }
        identifier = installed.identifier
        instance = installed.instance
        supervision = Supervision(of: .extension, limits: limits, on: launcher.loop)
        self.policy = policy.name
        point = installed.point
        hasPrivateInput = installed.hasPrivateInput
        self.slots = slots
        self.events = events
        self.onEnd = onEnd
        var running = Running(
            board: LiveStatusEntry(installed.identifier, policy: policy.name, memoryLimit: limits.memory),
            facts: LifeFacts(origin: origin))
        running.installed = installed
        running.board.record(host)
        running.host = host
        running.launcher = launcher
        running.slot = slot
        running.kept = kept
        running.portal = portal
        privateDirectory = kept.map { LaunchReport.PrivateOwner($0.owner) }
        self.running = Mutex(running)
        portal?.handleViolation { [weak self] rule in self?.end(for: .messageBudget(rule)) }
    }

    /// Launches the process as soon as there is an instance slot. If the launch fails, the failure is reported as the
    /// end of the extension.
    func start(_ configuration: consuming SandboxConfiguration) {
        // A closure cannot consume a captured value. But if the captured value is an optional, the closure can take its
        // contents.
        var given: SandboxConfiguration? = consume configuration
        running.withLock { $0.configuration = given.take() }
        apply(.asked)
    }

    // MARK: Reports of the host

    func saidHello() { apply(.saidHello) }
    func requestBegan(_ request: UInt64) { apply(.requestBegan(request)) }
    func requestEnded(_ request: UInt64) { apply(.requestEnded(request)) }
    func answered() { running.withLock { $0.facts.hasAnswered = true } }
    func overstayed() { apply(.mustEnd(.timeLimit)) }
    func gaveSign() { apply(.gaveSign) }
    func passedPingOn() { apply(.pingPassedOn) }
    func activityBegan(_ reason: String) {
        if !hasPrivateInput { running.withLock { $0.activity = reason } }
        apply(.activityBegan)
    }

    func activityEnded() { apply(.activityEnded) }
    func userActed() { running.withLock { $0.portal?.userActed() } }
    func dismiss(for dismissal: Dismissal) { apply(.dismissed(EndCause(dismissal))) }
    func channelClosed() { apply(.channelClosed) }
    func counted(_ counts: SessionStatistics) { running.withLock { $0.counts = counts } }

    func park() {
        let (lent, installed) = withRunning { running, life in
            running.board.record(isParked: true, life: life)
            running.isParked = true
            return (running.slot, running.installed)
        }
        guard let lent, let installed else { return }
        // If an update replaces a parked extension, the extension ends at once: no later request may reach the old
        // program.
        guard !installed.isReplaced else { return end(for: .cancelled) }
        slots.lend(lent) { [weak self, loop = supervision.loop] in
            // This closure runs inside another launch's request for a slot. If this extension ended here, its end might
            // grant the slot inside that request. So the extension is ended on the event loop.
            loop.execute { [weak self] in self?.end(for: .cancelled) }
        }
    }

    func claim() -> Bool {
        // An extension that is being ended still holds its slot, but cannot be claimed.
        let held = withRunning { running, life -> (slot: InstanceSlots.Slot, installed: Installed)? in
            guard life.state == .serving, let slot = running.slot, let installed = running.installed else {
                return nil
            }
            return (slot, installed)
        }
        guard let held else { return false }
        guard !held.installed.isReplaced else {
            end(for: .cancelled)
            return false
        }
        guard slots.claim(held.slot) else { return false }
        withRunning { running, life in
            running.isParked = false
            running.board.record(isParked: false, life: life)
        }
        return true
    }

    /// Runs `body` while no input changes the life.
    private func withRunning<Result: Sendable>(_ body: (inout Running, Lifecycle) -> Result) -> Result {
        supervision.withLife { life in running.withLock { body(&$0, life) } }
    }

    /// Ends a parked extension if another installation has replaced its own installation. An extension that is not
    /// parked continues to its normal end.
    func endIfParkedAndReplaced() {
        let installed = running.withLock { $0.isParked ? $0.installed : nil }
        if installed?.isReplaced ?? false { end(for: .cancelled) }
    }

    func violated(_ violation: ProtocolViolation) {
        apply(.mustEnd(violation.isBudget ? .messageBudget(violation.text) : .protocolViolation(violation.text)))
    }

    // MARK: Notes of events and inputs

    func note(_ event: SandboxEvent) {
        switch event {
        case .started(let process): running.withLock { $0.board.record(process: process) }
        case .denied(_, let total): running.withLock { $0.board.record(denials: total) }
        default: break
        }
    }

    func note(_ input: Lifecycle.Input, at moment: Moment, in life: Lifecycle) {
        running.withLock { running in
            if input == .slotGranted { running.granted = moment }
            if input == .saidHello { running.hello = moment }
            running.board.record(input, at: moment, life: life)
        }
    }
}

extension EndCause {
    init(_ dismissal: Dismissal) {
        switch dismissal {
        case .cancelled: self = .cancelled
        case .completed: self = .completed
        case .memoryPressure: self = .memoryPressure
        }
    }
}
