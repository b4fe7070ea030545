internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPolicy
internal import Synchronization

extension SupervisedExtension {
    func perform(_ effect: Lifecycle.Effect) {
        switch effect {
        case .askForSlot: askForSlot()
        case .launch: launch()
        case .wake(let moment): wake(at: moment)
        case .announce: announce()
        case .ping: ping()
        case .measureStarvation: measureStarvation()
        case .measureMemory: measureMemory()
        case .warnOfMemory: events(.memoryWarning)
        case .sayGoodbye: events(.goodbye)
        case .warnOfEnd: events(.endIsNear)
        case .kill: running.withLock { $0.process }?.kill()
        case .giveBackSlot: giveBackSlot()
        case .finish(let cause): finish(cause)
        }
    }

    private func askForSlot() {
        guard running.withLock({ $0.slot == nil }) else { return apply(.slotGranted) }
        let (ticket, isGranted) = slots.ask(point, most: limits.instances) { [weak self, loop] in
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
            // The closure's reference keeps the supervised extension alive until the kernel reports its end.
            let process = try launcher.launch(configuration) { [self] in receive($0) }
            running.withLock { $0.process = process }
            watchDisk()
            watch(quotas)
        } catch {
            running.withLock { $0.ended = SandboxEnd(failure: error) }
            apply(.gone)
        }
    }

    /// Watches the private directory. If another process of the extension uses the directory too, the files of both
    /// processes count.
    private func watchDisk() {
        guard let kept = running.withLock({ $0.kept }), let directory = kept.takeCopy() else { return }
        let subject = DiskWatch(
            of: directory, at: kept.limits.path,
            in: { [weak self] in self?.running.withLock { $0.number }.map { [$0] } ?? [] },
            size: kept.limits.size, inodes: kept.limits.inodes
        ) { [weak self] in self?.end(for: .diskLimit($0)) }
        let watch = Watch(subject, orOn: loop)
        running.withLock { $0.disk = watch }
    }

    /// The limits of the groups. They are prepared before the launch. So a lack of descriptors fails the launch.
    private func groupQuotas() throws(SandboxError) -> [GroupQuota] {
        let groups = running.withLock { $0.portal?.groups ?? [] }
        return try SandboxError.step("app group") { () throws(SystemError) in
            var quotas: [GroupQuota] = []
            for group in groups {
                quotas.append(
                    try GroupQuota(of: group, in: { [weak self] in self?.running.withLock { $0.number } }) {
                        [weak self] in self?.end(for: .diskLimit($0))
                    })
            }
            return quotas
        }
    }

    private func watch(_ quotas: [GroupQuota]) {
        let watches = quotas.map { Watch($0, orOn: loop) }
        let locks = running.withLock { $0.portal?.locks ?? [:] }
        let lockWatches = locks.map { group, locks in
            let quota = LockQuota(of: locks, in: group) { [weak self] in self?.end(for: .messageBudget($0)) }
            return Watch(quota, orOn: loop)
        }
        running.withLock { running in
            running.quotas = watches
            running.lockQuotas = lockWatches
        }
    }

    private func wake(at moment: Moment?) {
        let timer = moment.map { moment in
            loop.schedule(at: moment.nanoseconds) { [weak self] in self?.apply(.clock) }
        }
        let last = running.withLock { running in
            defer { running.timer = timer }
            return running.timer
        }
        last?.cancel()
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
        let starvation = LaunchStarvation(of: running.withLock { $0.number })
        running.withLock { $0.facts.wasStarved = starvation.isMachines(within: limits.launch) }
    }

    private func measureMemory() {
        if let used = running.withLock({ $0.process })?.memoryInUse() { apply(.memoryUsed(used)) }
    }

    private func finish(_ cause: EndCause?) {
        let launch = launchReport()
        let portal = running.withLock { $0.portal.take() }
        portal?.end()
        let (ended, activity, granted, host, counts, facts) = running.withLock { running in
            // Each of these values refers to this object. Without this step, the values and this object would keep each
            // other alive for ever.
            running.process = nil
            running.launcher = nil
            running.configuration = nil
            running.installed = nil
            running.kept = nil
            running.disk = nil
            running.quotas = []
            running.lockQuotas = []
            return (
                running.ended, running.activity, running.granted, running.host.take(), running.counts, running.facts
            )
        }
        let end = ended ?? SandboxEnd()
        let termination = Termination(
            cause, end: end, limits: limits, activity: activity, messages: host?.counts ?? counts)
        // The report is queued before the host learns of the end, because the host may exit at once.
        onEnd(
            EndedExtension(
                identifier: identifier, instance: instance, policy: policy, lifetime: Moment.now.since(asked),
                waited: waited(granted),
                launch: launch, limits: LaunchReport.Limit.all(limits, held: end.held),
                termination: termination, facts: facts))
        events(.ended(termination))
    }

    /// - Parameter granted: when the slot was granted. It is nil if no slot was granted; in that case, the wait lasts
    ///   until now.
    private func waited(_ granted: Moment?) -> Duration { (granted ?? .now).since(asked) }

    private func launchReport() -> LaunchReport? {
        running.withLock { running in
            running.report.map { report in
                LaunchReport(
                    report, policy: policy, limits: limits, privateDirectory: privateDirectory,
                    waited: waited(running.granted), hello: running.hello?.nanoseconds)
            }
        }
    }
}
