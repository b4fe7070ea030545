package import AnnexBrokerAPI
internal import AnnexBundle
package import AnnexChannel
internal import AnnexLaunch
internal import AnnexPolicy
internal import AnnexPortal
internal import AnnexPortalServer
internal import AnnexRegistry
internal import AnnexSigning
internal import AnnexSupervision

/// Installs, launches, supervises and ends extensions. A broker lives in a host's process or in the daemon `annexd`.
package final class Broker: BrokerService {
    let launcher: Launcher
    let registry = InstalledRegistry()
    let texts = KeptTexts()
    let running = RunningExtensions()
    let slots = InstanceSlots()
    let wishes: BrokerConfiguration
    /// The teams of the installed apps, and the checks of each launch.
    let signatures: InstalledSignatures
    /// This object is separate, so that the event loop's thread can record an end without a reference to the broker.
    let failures = FailureHistory()
    /// The policies that were read already: one for each extension point and set of entitlements.
    let policies = PointPolicies()
    private let reports: ReportKeeper?
    let privates: PrivateStore
    let groups: GroupAccess
    let portals: PortalServer
    let appPortals = AppPortals()
    let opener: AppOpener
    /// The user's background transfers; nil if the broker keeps none, or cannot read them.
    let transfers: BrokerTransfers?
    let log: BrokerLog
    /// Announces each change of the installed apps and extensions.
    let feed = ChangeFeed()
    /// The broker calls this closure after each change, with the number of the change.
    let onChange: @Sendable (UInt64) -> Void
    private let onEnd: @Sendable (EndedExtension) -> Void

    /// Starts the warden, and removes the remains of a killed broker.
    /// - Parameters:
    ///   - waiving: sandbox layers that may be missing. If this machine lacks one of them, extensions run without it.
    ///   - wishes: the host's settings, which override the settings of the policies.
    ///   - onEnd: the broker calls this closure each time an extension has ended, on any thread. It must not block.
    ///   - onChange: the broker calls this closure after each change of the installed apps and extensions, with the
    ///     number of the change. It must not block.
    package init(
        waiving: Set<DispensableLayer> = [], _ wishes: BrokerConfiguration = BrokerConfiguration(),
        onEnd: @escaping @Sendable (EndedExtension) -> Void = { _ in },
        onChange: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) throws(BrokerError) {
        self.wishes = wishes
        signatures = InstalledSignatures(trust: wishes.trust ?? TrustStore())
        self.onEnd = onEnd
        log = BrokerLog(wishes.user)
        reports = ReportKeeper(wishes.reports, logger: log.logger)
        do throws(SandboxError) {
            launcher = try Launcher.start(
                waiving: Set(waiving.compactMap { SandboxLayer($0) }), share: wishes.share?.group,
                advice: wishes.isOfDaemon ? .daemon : .embedding)
        } catch {
            throw BrokerError(.system, what: "\(error.cause)", place: error.step, remedy: error.remedy)
        }
        privates = PrivateStore(wishes.privateDirectories, loop: launcher.loop) { [log] name, error in
            log.keptPrivate(name, error: error)
        }
        groups = GroupAccess(wishes.privateDirectories, owner: wishes.owner)
        let place = wishes.daemon == nil ? try? wishes.privateDirectories?.path() : nil
        let starter = AppStarter(owner: wishes.owner, daemon: wishes.daemon ?? wishes.ownDaemon, groups: place)
        opener = AppOpener(registry: registry, points: wishes.points, starter: starter, log: log)
        let opening = OpeningService(on: launcher.loop, forPoints: { [opener] in opener.mayOpen($0) }) {
            [opener] url, member throws(PortalError) in
            try opener.open(url, for: member.identifier, afterAction: member.actions.isRecent)
        }
        let kept = Self.transfers(
            wishes.transfers,
            of: BrokerTransfers.Parts(
                launcher: launcher, groups: groups, registry: registry, signatures: signatures, starter: starter,
                log: log))
        let transfers = try? kept.get()
        self.transfers = transfers
        portals = PortalServer.standard(on: launcher.loop, opening: opening, transfers: kept.map(\.desk))
        self.onChange = { number in
            onChange(number)
            transfers?.reviewLater()
        }
        for waiver in launcher.waivers { log.waived(waiver) }
        running.endAtExit()
    }

    deinit {
        transfers?.end()
        // The ends are awaited before the warden ends, because the warden reports how each process ended.
        running.endAllAndWait()
        feed.finish()
        launcher.shutDown()
    }

    /// Whether a control group enforces the limits for all extensions together (`BrokerConfiguration.share`). The value
    /// is false if this machine cannot make a control group.
    package var holdsShare: Bool { launcher.holdsShare }

    package func terms(for identifier: String) throws(BrokerError) -> SessionTerms {
        let record = try installed(identifier).record
        return SessionTerms(try policy(for: record).limits, for: record)
    }

    package func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEnd, events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        let (bundle, record) = try installed(identifier)
        try bundle.check(isFor: point)
        if wishes.holdsBack { try failures.check(record.instance, for: origin, log: log) }
        // The entitlements are read once, so that the sandbox and the extension get the same list.
        let now = registry.value
        let (inForce, hosts) = (now.entitlementsInForce(for: record), now.hostsInForce(for: record))
        let policy = try policy(for: record, with: inForce, hosts: hosts)
        try signatures.check(bundle)
        // The portal is a socket for the extension's requests to the broker. The bell lies in the memory of the
        // channel, which `configuration` consumes. So the bell is opened before that call.
        let needsPortal = needsPortal(bundle, entitlements: inForce)
        let bell = needsPortal ? try Self.bell(of: channel, for: identifier) : nil
        var configuration = try Self.configuration(for: bundle, policy: policy, channel: channel)
        state(inForce, hosts: hosts, asEntitlementsOf: record, in: &configuration)
        configuration.hasPrivateInput = record.point?.hasPrivateInput ?? false
        let kept = try keptDirectory(for: bundle, policy: policy, into: &configuration)
        // The closure that handles the end only needs to know whether there is a private directory. If the closure
        // held `kept`, the directory would still be locked, and could not be removed.
        let keepsFiles = kept != nil
        let portal = try openPortal(
            for: bundle, record: record, entitlements: inForce, policy: policy, bell: bell, into: &configuration)
        // The slot is taken last. If it were taken earlier, each later step that fails would have to give the slot
        // back.
        let slot = try slot(for: purpose, bundle: bundle, most: policy.limits.instances)
        let log = log.of(host)
        log.launching(identifier, policy: policy.name)
        let told: @Sendable (ExtensionEvent) -> Void = { [failures, instance = record.instance] event in
            if case .ready(let report) = event {
                failures.becameReady(instance)
                log.ready(identifier, report: report)
            }
            events(event)
        }
        let supervised = running.add { remove in
            SupervisedExtension(
                Installed(bundle, record: record, in: registry), policy: policy, timeLimit: timeLimit, origin: origin,
                host: host, launcher: launcher, slots: slots, slot: slot, kept: kept, portal: portal, events: told
            ) { [failures, reports, privates, onEnd] end in
                failures.record(end)
                log.ended(end)
                reports?.keep(end)
                remove()
                if keepsFiles { privates.resumeRemoval() }
                onEnd(end)
            }
        }
        supervised.start(configuration)
        // The extension may have been removed or disabled a moment ago, before it was in the list of running
        // extensions.
        if let cause = causeAgainst(identifier) { supervised.end(for: cause) }
        return supervised
    }

    /// The slot that a launch has from the start; nil if the launch must ask for a slot and wait.
    private func slot(
        for purpose: LaunchPurpose, bundle: ExtensionBundle, most: Int
    ) throws(BrokerError) -> InstanceSlots.Slot? {
        guard purpose == .ahead else { return nil }
        if let free = slots.acquireFree(bundle.extensionPoint, most: most) { return free }
        throw BrokerError(
            .noSlot,
            what: "no instance slot is free: the extension point's \(most) are taken, or other launches wait",
            place: bundle.identifier, remedy: "keep fewer extensions parked, or raise the point's limit `instances`")
    }

    /// Ends every extension with the reason `brokerShutdown`.
    package func shutDown() { running.endAll() }
}

extension Broker {
    package func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit: Duration?, origin: String?,
        channel: consuming ExtensionDescriptors, of host: HostEndpoint,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(BrokerError) -> any ExtensionHandle {
        try launch(
            identifier, as: point, for: purpose, timeLimit: timeLimit, origin: origin, channel: channel,
            of: HostEnd.own(host), events: events)
    }

    /// Ends an extension because its host has gone. This function needs no reference to the broker: a release of the
    /// last reference would wait for the warden.
    package static func end(ofGoneHost handle: any ExtensionHandle) {
        (handle as? SupervisedExtension)?.end(for: .hostGone)
    }
}

extension ExtensionBundle {
    /// Rejects the extension if its host expects an extension of another point.
    fileprivate func check(isFor point: String?) throws(BrokerError) {
        guard let point, extensionPoint != point else { return }
        throw BrokerError(
            .otherPoint, what: "is for \(extensionPoint), not for \(point)", place: identifier,
            remedy: "choose another extension: its app may have been replaced since this one was chosen")
    }
}
