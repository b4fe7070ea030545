package import AnnexLinux
package import AnnexPolicy
internal import Glibc
internal import Synchronization

/// One sandboxed process from its plan to its end, with all its resources: control group, identity, output and denials.
/// When the end is reported, all these resources have been released.
package final class SandboxedProcess: Sendable {
    private let holdings: Mutex<Holdings>
    private let scene: CallDesk.Scene
    private let loop: EventLoop
    private let begun: UInt64
    private let held: HeldLimits
    /// The requested layers.
    private let layers: SandboxLayers
    private let landlockABI: Int
    private let controls: SpeculationControls
    /// The layers that the host waived and that this machine cannot provide, with the cause.
    private let missingLayers: [MissingLayer]
    private let foreignPlaces: [LaunchPlan.ForeignPlace]
    private let keptScratch: KeptScratch?
    private let parts: PartFacts
    private let network: HostNetwork?
    private let advice: LayerAdvice
    private let events: @Sendable (SandboxEvent) -> Void

    init(
        scene: CallDesk.Scene, loop: EventLoop, output: consuming Descriptor, identity: consuming Identity,
        group: consuming ControlGroup?, held: HeldLimits, layers: SandboxLayers, begun: UInt64, landlockABI: Int,
        controls: SpeculationControls, missingLayers: [MissingLayer], foreignPlaces: [LaunchPlan.ForeignPlace],
        keptScratch: KeptScratch?, parts: PartFacts, network: HostNetwork?, advice: LayerAdvice,
        events: @escaping @Sendable (SandboxEvent) -> Void
    ) throws(SandboxError) {
        self.scene = scene
        self.loop = loop
        self.begun = begun
        self.held = held
        self.layers = layers
        self.landlockABI = landlockABI
        self.controls = controls
        self.missingLayers = missingLayers
        self.foreignPlaces = foreignPlaces
        self.keptScratch = keptScratch
        self.parts = parts
        self.network = network
        self.advice = advice
        self.events = events
        var holdings = Holdings(identity: identity)
        holdings.end.held = held
        holdings.group = consume group
        do throws(SystemError) {
            try output.stopBlocking()
            let limit = scene.policy.limits.output
            holdings.output = try OutputReader(
                output, limit: limit, isKept: !scene.hasPrivateInput, on: loop
            ) { events(.wrote(total: $0)) }
        } catch {
            throw SandboxError("output", error: error)
        }
        self.holdings = Mutex(holdings)
    }

    /// Kills the process through its handle and not by its number, because another process may have got the number.
    /// One call is enough: if the process is not known yet, it is killed as soon as it is known.
    ///
    /// The kernel kills the other processes of the sandbox as soon as the first process runs once more. On a busy
    /// machine, this takes many milliseconds. So this function kills the others directly, too.
    package func kill() { kill { _ in } }

    /// Kills the process, and reports its launch as failed. For a fault that leaves the sandbox without something that
    /// the caller asked for.
    package func fail(_ error: SandboxError) { kill { $0.failure = $0.failure ?? error } }

    /// - Parameter note: notes the finding for which the process is killed. If it is being killed already, the finding
    /// is
    ///   a consequence and no cause, and is not noted.
    private func kill(noting note: (inout SandboxEnd) -> Void) {
        let first = scene.policy.limits.processes > 1 ? firstProcess() : nil
        holdings.withLock { holdings in
            if !holdings.mustDie { note(&holdings.end) }
            holdings.mustDie = true
            try? holdings.process?.sendSignal(SIGKILL)
        }
        if let first { ProcessTree.killDescendants(of: first.number, started: first.started) }
    }

    /// The first process of a sandbox that may have others, with its number in `/proc` and its start time; nil if it
    /// does not live.
    private func firstProcess() -> (number: Int32, started: UInt64)? {
        let number = holdings.withLock { holdings in holdings.hasLivingProcess ? holdings.number : nil }
        guard let number = number.map(ProcNumber.listed), let started = ProcessStat(number)?.started else {
            return nil
        }
        return (number, started)
    }

    /// Whether the process reaches named hosts through the broker.
    package var reachesHosts: Bool { network != nil }

    /// Bounds the machines that the program may reach, besides the bounds of its policy. Its connections to other
    /// machines end.
    /// - Parameter read: reads the machines that remain if the policy names them too; nil if all remain.
    package func bound(by read: () -> [HostRule]?) {
        guard let routes = network?.routes, routes.bound(by: read) else { return }
        do throws(SystemError) {
            guard let first = firstProcess() else {
                guard holdings.withLock({ $0.hasLivingProcess }) else { return }
                throw SystemError("stat", errno: EACCES)
            }
            try SocketHolders.end(of: first.number, started: first.started, where: routes.refuses)
        } catch {
            // The process may hold a connection that it must not have.
            fail(SandboxError("hosts", error: error))
        }
    }

    /// The memory in use, in bytes; nil if it is not known yet or no longer known.
    package func memoryInUse() -> UInt64? {
        if let file = holdings.withLock({ $0.usageFile }) { return TextFile.number(file) }
        return holdings.withLock { $0.watch }?.subject.use
    }

    /// Sends a signal to the process. A reaper forwards the signals that a user or a service manager may send to the
    /// program. If the process is not known yet, the signal is sent as soon as the process is known.
    /// - Returns: false if the process has already ended, even if the end has not been reported yet.
    @discardableResult
    package func send(_ signal: Int32) -> Bool {
        holdings.withLock { holdings in
            switch holdings.process {
            case .some(let process):
                guard !process.hasEnded else { return false }
                try? process.sendSignal(signal)
            case .none: if !holdings.unsent.contains(signal) { holdings.unsent.append(signal) }
            }
            return true
        }
    }

    /// A helper process that kills this process at a moment of the monotonic clock, even if the host is stopped. nil if
    /// there is no process to kill.
    package func standIn(until deadline: UInt64) -> StandIn? {
        holdings.withLock { holdings in
            switch holdings.process {
            case .some(let process): try? StandIn(ending: process, at: deadline)
            case .none: nil
            }
        }
    }

    /// Kills a process if one of its descriptors was lost because this program had no free descriptor number. Without
    /// its handle, the process could not be killed later. Without its listener, its denials would not be seen.
    private func endUnheld(_ number: Int32?) {
        let cause = SystemError("recvmsg", errno: EMFILE)
        holdings.withLock { holdings in
            holdings.end.failure = SandboxError("descriptors", error: cause)
            holdings.unheld = number
        }
        kill()
        killUnheld()
    }

    /// Tries to kill the process until a descriptor is free for its handle, or until the warden reports its end.
    private func killUnheld() {
        guard let number = holdings.withLock({ $0.unheld }) else { return }
        do throws(SystemError) {
            // The number still names this process. The warden reaps the process and reports the end in one step, and
            // the report stops the retries.
            try ProcessHandle(process: number).sendSignal(SIGKILL)
            holdings.withLock { $0.unheld = nil }
        } catch {
            loop.schedule(after: .milliseconds(20)) { [weak self] in self?.killUnheld() }
        }
    }

    /// Handles the warden's events in order, on the loop's thread.
    func receive(_ event: consuming LaunchEvent) {
        switch consume event {
        case .started(let process, let number): start(process, number: number)
        case .unheld(let number): endUnheld(number)
        case .scratch(let directory): keptScratch?.keep(directory)
        case .listener(let listener): listen(listener)
        case .executed(let times, let layers, let numbers):
            holdings.withLock { $0.end.hasRun = true }
            openNetwork()
            let report = SandboxReport(
                times, layers: layers, begun: begun, denials: scene.mode, held: held, landlockABI: landlockABI,
                controls: controls, missingLayers: missingLayers, foreignPlaces: foreignPlaces,
                parts: parts, numbersError: numbers)
            events(.executed(report))
        case .stopped(let signal): events(.stopped(signal: signal))
        // The first failure is kept. A kill after the first failure is only a consequence of that failure.
        case .failed(let failure, _):
            holdings.withLock { holdings in
                if failure.isDeath {
                    holdings.earlyDeath = failure
                } else {
                    holdings.end.failure = holdings.end.failure ?? SandboxError(failure, advice: advice)
                }
            }
        case .ended(let end, let usage): finish(end, usage: usage)
        case .wardenLost:
            // The kernel kills the process when its warden dies, but the kill may take a moment.
            kill()
            awaitDeath(polls: 0)
        }
    }

    /// Begins to answer the program's questions for names. The child has sent its sockets by now.
    private func openNetwork() {
        do throws(SandboxError) {
            try network?.open()
        } catch {
            fail(error)
        }
    }

    /// Waits until the process is gone after its warden was lost, because the lost warden cannot reap it. So no group
    /// is left behind, and no living process shares its identity with another sandbox. The wait takes five seconds at
    /// most. If the process still lives then, the next broker removes the remains when it starts.
    private func awaitDeath(polls: Int) {
        guard polls < 1000, holdings.withLock({ $0.isAlive }) else { return finish(nil, usage: nil) }
        loop.schedule(after: .milliseconds(5)) { [self] in awaitDeath(polls: polls + 1) }
    }

    private func start(_ process: consuming ProcessHandle, number: Int32) {
        // A closure cannot consume a captured value, but it can take the value out of an optional.
        var started: ProcessHandle? = consume process
        holdings.withLock { holdings in
            holdings.process = started.take()
            holdings.number = number
            for signal in holdings.unsent { try? holdings.process?.sendSignal(signal) }
            holdings.unsent = []
            if holdings.mustDie { try? holdings.process?.sendSignal(SIGKILL) }
        }
        if !held.isMemoryEnforced { watchMemory(of: number) }
        if scene.policy.limits.processes > 1 { watchTime(of: number) }
        events(.started(process: number))
    }

    private func watchMemory(of number: Int32) {
        let (limit, hasReaper) = (scene.policy.limits.memory, scene.hasReaper)
        let subject = MemoryWatch(of: number, hasReaper: hasReaper, limit: limit, isAlive: lives) {
            [weak self] finding in
            self?.kill { $0.memoryFinding = finding }
        }
        let watch = Watch(subject, orOn: loop)
        holdings.withLock { $0.watch = watch }
    }

    /// Watches the processor time of several processes. The kernel itself limits the time of a single process.
    private func watchTime(of number: Int32) {
        if PolicyLimits.isNone(scene.policy.limits.processor) { return }
        let subject = ProcessorWatch(
            limit: scene.policy.limits.processor, isAlive: lives, used: processorTime(of: number)
        ) { [weak self] finding in
            self?.kill { $0.processorFinding = finding }
        }
        let watch = Watch(subject, orOn: loop)
        holdings.withLock { $0.time = watch }
    }

    /// Returns the measurement of the processor time. If the control group counts this time, the group is read;
    /// otherwise the processes are listed.
    private func processorTime(of number: Int32) -> @Sendable () throws(SystemError) -> Duration {
        guard let file = holdings.withLock({ $0.processorFile }) else { return ProcessorWatch.tree(of: number) }
        return { () throws(SystemError) in
            let text = try TextFile.contents(of: file)
            guard let used = TextFile.number("usage_usec", in: text) else {
                throw SystemError("usage_usec", errno: ENODATA, path: file)
            }
            return .microseconds(Int64(clamping: used))
        }
    }

    private var lives: @Sendable () -> Bool {
        { [weak self] in self?.holdings.withLock { $0.hasLivingProcess } ?? false }
    }

    private func listen(_ descriptor: consuming Descriptor) {
        do throws(SystemError) {
            let listener = try CallDesk(descriptor, scene: scene, on: loop) { [events] report in
                switch report {
                case .denied(let denial, let total): events(.denied(denial, total: total))
                case .aborted: events(.aborted)
                }
            }
            holdings.withLock { $0.listener = listener }
        } catch {
            // Without a listener, denials would not be seen, so the process is killed.
            holdings.withLock { $0.end.failure = SandboxError("denials", error: error) }
            kill()
        }
    }

    private func finish(_ process: ProcessEnd?, usage: ResourceUsage?) {
        let (output, listener) = holdings.withLock { ($0.output.take(), $0.listener.take()) }
        endWatches()
        let tail = output?.finish()
        holdings.withLock { holdings in
            holdings.end.process = process
            holdings.end.usage = usage
            holdings.end.output = tail ?? OutputTail()
        }
        events(.died)
        let deadline = ExaminationDeadline(on: loop, progress: { PostMortem.shared.count }) { [self] in
            conclude(listener?.soFar())
            // The examination may hang for ever. The identity and the group must be free for the next sandbox.
            PostMortem.shared.end { [self] in leave() }
        }
        let leaving: @Sendable (DenialSummary?) -> Void = { [self] denials in
            leave()
            loop.execute { [self] in
                deadline.cancel()
                conclude(denials)
            }
        }
        let examine: @Sendable () -> Void = {
            guard let listener else { return PostMortem.shared.end { leaving(nil) } }
            listener.finish(leaving)
        }
        // What the program sent before its end still reaches other machines.
        guard let network else { return examine() }
        network.close(within: scene.policy.limits.grace, then: examine)
    }

    /// Releases the control group and the identity. The kernel may need a moment until the group has no members.
    /// Without a process namespace, the first process may leave other processes behind. These processes are killed
    /// now, before another sandbox gets their user. This function runs on the thread of `PostMortem`.
    private func leave() {
        let group = holdings.withLock { $0.group.take() }
        if !layers.contains(.process) { group?.endMembers() }
        let memory = group?.memoryUse()
        holdings.withLock { holdings in
            if let memory { holdings.end.memory = memory }
            holdings.identity = nil
        }
    }

    /// Reports the end after all denials. Only the first call of this function reports it.
    private func conclude(_ denials: DenialSummary?) {
        let end = holdings.withLock { holdings -> SandboxEnd? in
            guard !holdings.isOver else { return nil }
            holdings.isOver = true
            holdings.end.denialSummary = denials ?? holdings.end.denialSummary
            holdings.end.hosts = network?.requestedHosts ?? []
            if case .signalled(let signal, _) = holdings.end.process {
                holdings.end.mayBeOwnSignal = scene.policy.letsSendItself(signal)
            }
            holdings.decideEarlyDeath()
            holdings.process = nil
            holdings.unheld = nil
            return holdings.end
        }
        if let end { events(.ended(end)) }
    }

    private func endWatches() {
        let (memory, time) = holdings.withLock { ($0.watch.take(), $0.time.take()) }
        memory?.finish()
        time?.finish()
    }
}
