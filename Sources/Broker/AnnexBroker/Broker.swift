package import AnnexBrokerAPI
internal import AnnexBundle
package import AnnexChannel
internal import AnnexPolicy
internal import AnnexSandbox
internal import AnnexShippedPolicies
internal import Synchronization

/// The system's part: knows what is installed, launches, supervises, ends.
package final class Broker: BrokerService {
    let launcher: Launcher
    let registry = InstalledRegistry()
    let running = RunningExtensions()
    let slots = InstanceSlots()
    let wishes: BrokerConfiguration
    /// Not the broker itself: an end told on the event loop's thread must not hold it.
    let failures = FailureHistory()
    private let policies = Mutex<[String: Policy]>([:])
    private let reports: ReportKeeper?
    let log: BrokerLog
    private let onEnd: @Sendable (EndedExtension) -> Void

    /// Starts the warden and sweeps what a broker that was killed left behind.
    /// - Parameters:
    ///   - waiving: layers that extensions may do without, where this machine cannot give them.
    ///   - wishes: what its host wants otherwise than the policies say.
    ///   - onEnd: told of each end, on any thread; must not block.
    package init(
        waiving: Set<DispensableLayer> = [], _ wishes: BrokerConfiguration = BrokerConfiguration(),
        onEnd: @escaping @Sendable (EndedExtension) -> Void = { _ in }
    ) throws(BrokerError) {
        self.wishes = wishes
        self.onEnd = onEnd
        log = BrokerLog(wishes.user)
        reports = ReportKeeper(wishes.reports, logger: log.logger)
        do throws(SandboxError) {
            launcher = try Launcher.start(
                waiving: Set(waiving.compactMap { SandboxLayer($0) }), share: wishes.share?.group)
        } catch {
            throw BrokerError(.system, "\(error.cause)", place: error.step, remedy: error.remedy)
        }
        for waiver in launcher.waivers { log.waived(waiver) }
    }

    deinit {
        shutDown()
        launcher.shutDown()
    }

    /// Whether the share that was wished for is held: not where no control group can be made.
    package var holdsShare: Bool { launcher.holdsShare }

    package func terms(for identifier: String) throws(BrokerError) -> SessionTerms {
        let limits = try policy(for: installed(identifier).bundle).limits
        return SessionTerms(channel: ChannelConfiguration(limits), keepAlive: limits.keepAlive)
    }

    package func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?,
        channel: consuming ExtensionDescriptors, of host: HostEnd, events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        let (bundle, instance) = try installed(identifier)
        try Self.check(bundle, isFor: point)
        try checkFailures(of: identifier)
        let policy = try policy(for: bundle)
        let configuration = try Self.configuration(for: bundle, policy: policy, channel: channel)
        // Last of all: whatever is refused from here on would have to give it back.
        let place = try place(for: purpose, identifier, policy)
        let log = log.of(host)
        log.launching(identifier, policy.name)
        let told: @Sendable (ExtensionEvent) -> Void = { event in
            if case .ready(let report) = event { log.ready(identifier, report) }
            events(event)
        }
        let supervised = running.add { remove in
            SupervisedExtension(
                Installed(bundle, instance: instance, in: registry), policy: policy, timeLimit: timeLimit, host: host,
                launcher: launcher, slots: slots, place: place, events: told
            ) { [failures, reports, onEnd] end in
                failures.note(end)
                log.ended(end)
                reports?.keep(end)
                remove()
                onEnd(end)
            }
        }
        supervised.start(configuration)
        // Whoever removed or disabled it a moment ago may not have seen it among those that run.
        if let cause = causeAgainst(identifier) { supervised.end(for: cause) }
        return supervised
    }

    private static func check(_ bundle: ExtensionBundle, isFor point: String?) throws(BrokerError) {
        guard let point, bundle.extensionPoint != point else { return }
        throw BrokerError(
            .otherPoint, "is for \(bundle.extensionPoint), not for \(point)", place: bundle.identifier,
            remedy: "choose another extension: its app may have been replaced since this one was chosen")
    }

    /// The place that a launch has from the start; nil: it asks for one, and waits for it.
    private func place(
        for purpose: LaunchPurpose, _ identifier: String, _ policy: Policy
    ) throws(BrokerError) -> InstanceSlots.Slot? {
        guard purpose == .ahead else { return nil }
        if let free = slots.takeFree(policy.name, most: policy.limits.instances) { return free }
        throw BrokerError(
            .noPlace, "as many as the policy lets run at once (\(policy.limits.instances)) run, or are waited for",
            place: identifier, remedy: "keep fewer parked, or raise the policy's limit `instances`")
    }

    private func checkFailures(of identifier: String) throws(BrokerError) {
        guard wishes.holdsBack else { return }
        guard let (error, isNews) = failures.refusal(of: identifier) else { return }
        // Once for each pause: whoever asks again and again fills no log with it.
        if isNews { log.heldBack(identifier, error) }
        throw error
    }

    /// Ends every extension; what they were doing is told as `brokerShutdown`.
    package func shutDown() {
        for supervised in running.all { supervised.end(for: .brokerShutdown) }
    }

    /// The policy of the extension's point. A general profile is no point: no bundle gets it by naming it.
    func policy(for bundle: ExtensionBundle) throws(BrokerError) -> Policy {
        if let refusal = bundle.refusal { throw refusal }
        do throws(PolicyError) {
            var policy = try shippedPolicy(named: bundle.extensionPoint)
            wishes.apply(to: &policy.limits)
            return policy
        } catch {
            throw BrokerError(.invalidPolicy, "\(error)", place: bundle.identifier)
        }
    }

    /// Read once: unpacking it takes longer than most steps of a launch.
    private func shippedPolicy(named name: String) throws(PolicyError) -> Policy {
        if let policy = policies.withLock({ $0[name] }) { return policy }
        let policy = try Policy.compiledAhead(named: name)
        policies.withLock { $0[name] = policy }
        return policy
    }
}
