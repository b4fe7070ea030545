internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import AnnexSupervision
internal import Synchronization

extension SupervisedExtension {
    func perform(_ effect: Lifecycle.Effect) {
        switch effect {
        case .askForSlot: askForSlot()
        case .launch: launch()
        case .announce: announce()
        case .ping: ping()
        case .measureStarvation: measureStarvation()
        case .measureMemory: measureMemory()
        case .warnOfMemory: events(.memoryWarning)
        case .sayGoodbye: events(.goodbye)
        case .warnOfEnd: events(.endIsNear)
        case .giveBackSlot: giveBackSlot()
        case .finish(let cause): finish(cause)
        case .wake, .kill: break
        }
    }

    private func askForSlot() {
        guard running.withLock({ $0.slot == nil }) else { return apply(.slotGranted) }
        let (ticket, isGranted) = slots.ask(point, most: supervision.limits.instances) {
            [weak self, loop = supervision.loop] in
            // The launch continues on the event loop. This closure runs inside the end of another extension. If the
            // launch continued here and failed at once, the end of this extension would start the next launch inside
            // this closure, and so on.
            loop.execute { [weak self] in self?.apply(.slotGranted) }
        }
        running.withLock { $0.slot = ticket }
        if isGranted { apply(.slotGranted) }
    }

    private func giveBackSlot() {
        if let ticket = running.withLock({ $0.slot.take() }) { slots.giveBack(ticket) }
    }

    private func launch() {
        let launcher = running.withLock { $0.launcher.take() }
        guard let launcher, let configuration = running.withLock({ $0.configuration.take() }) else { return }
        do throws(SandboxError) {
            let quotas = try groupQuotas()
            try launch(configuration, by: launcher)
            // The grants may have changed since the configuration was made.
            boundHosts()
            watchDisk()
            watch(quotas)
        } catch {
            fail(error)
        }
    }

    /// Takes from a process that was launched with named machines those that are not granted any more. New ones hold
    /// from the next launch on.
    func boundHosts() {
        guard let process = supervision.process, process.reachesHosts,
            let installed = running.withLock({ $0.installed })
        else { return }
        process.bound { installed.grantedHosts }
    }

    /// Watches the private directory. If another process of the extension uses the directory too, the files of both
    /// processes count.
    private func watchDisk() {
        guard let kept = running.withLock({ $0.kept }), let directory = kept.takeCopy() else { return }
        let subject = DiskWatch(
            of: directory, at: kept.limits.path,
            in: { [weak self] in self?.supervision.number.map { [$0] } ?? [] },
            size: kept.limits.size, inodes: kept.limits.inodes
        ) { [weak self] in self?.end(for: .diskLimit($0)) }
        let watch = Watch(subject, orOn: supervision.loop)
        running.withLock { $0.disk = watch }
    }

    /// The limits of the groups. They are prepared before the launch. So a lack of descriptors fails the launch.
    private func groupQuotas() throws(SandboxError) -> [GroupQuota] {
        let groups = running.withLock { $0.portal?.groups ?? [] }
        return try SandboxError.step("app group") { () throws(SystemError) in
            var quotas: [GroupQuota] = []
            for group in groups {
                quotas.append(
                    try GroupQuota(of: group, in: { [weak self] in self?.supervision.number }) {
                        [weak self] in self?.end(for: .diskLimit($0))
                    })
            }
            return quotas
        }
    }

    private func watch(_ quotas: [GroupQuota]) {
        let watches = quotas.map { Watch($0, orOn: supervision.loop) }
        let locks = running.withLock { $0.portal?.locks ?? [:] }
        let lockWatches = locks.map { group, locks in
            let quota = LockQuota(of: locks, in: group) { [weak self] in self?.end(for: .messageBudget($0)) }
            return Watch(quota, orOn: supervision.loop)
        }
        running.withLock { running in
            running.quotas = watches
            running.lockQuotas = lockWatches
        }
    }

    /// If the host is in this process, it has passed the ping on when `events` returns. A remote host reports this
    /// later.
    private func ping() {
        let isOwn = running.withLock { $0.host?.isOwn ?? false }
        events(.ping)
        if isOwn { apply(.pingPassedOn) }
    }

    private func announce() {
        running.withLock { $0.facts.becameReady = true }
        events(.ready(launchReport() ?? .unknown))
    }

    /// The files are read before the kill, because a process that has ended has no files in `/proc`.
    private func measureStarvation() {
        let starvation = LaunchStarvation(of: supervision.number)
        running.withLock { $0.facts.wasStarved = starvation.isMachines(within: supervision.limits.launch) }
    }

    private func measureMemory() {
        if let used = supervision.process?.memoryInUse() { apply(.memoryUsed(used)) }
    }

    private func finish(_ cause: EndCause?) {
        let launch = launchReport()
        let (ending, end) = supervision.conclude(cause)
        let portal = running.withLock { $0.portal.take() }
        portal?.end()
        let (activity, granted, host, counts, facts) = running.withLock { running in
            // Each of these values refers to this object. Without this step, the values and this object would keep each
            // other alive for ever.
            running.launcher = nil
            running.configuration = nil
            running.installed = nil
            running.kept = nil
            running.disk = nil
            running.quotas = []
            running.lockQuotas = []
            return (running.activity, running.granted, running.host.take(), running.counts, running.facts)
        }
        let termination = Termination(ending, facts: end, activity: activity, messages: host?.counts ?? counts)
        // The report is queued before the host learns of the end, because the host may exit at once.
        onEnd(
            EndedExtension(
                identifier: identifier, instance: instance, policy: policy, lifetime: Moment.now.since(asked),
                waited: waited(granted),
                launch: launch, limits: LaunchReport.Limit.all(supervision.limits, held: end.held),
                termination: termination, facts: facts))
        events(.ended(termination))
    }

    /// - Parameter granted: when the slot was granted. It is nil if no slot was granted; in that case, the wait lasts
    ///   until now.
    private func waited(_ granted: Moment?) -> Duration { (granted ?? .now).since(asked) }

    private func launchReport() -> LaunchReport? {
        supervision.report.map { report in
            let (granted, hello) = running.withLock { ($0.granted, $0.hello) }
            return LaunchReport(
                report, policy: policy, limits: supervision.limits, privateDirectory: privateDirectory,
                waited: waited(granted), hello: hello?.nanoseconds)
        }
    }
}
