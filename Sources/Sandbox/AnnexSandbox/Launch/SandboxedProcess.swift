internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc
internal import Synchronization

/// One sandboxed process from its plan to the kernel's last word, with everything that belongs to it: control group,
/// identity, output, refusals. All of it is gone when the end has been told.
package final class SandboxedProcess: Sendable {
    fileprivate struct Holdings: ~Copyable {
        var process: ProcessHandle?
        /// What was to be sent before anybody said which process it is.
        var unsent: [Int32] = []
        /// The number of a process whose handle was lost, until it has been signalled.
        var unheld: Int32?
        var listener: DenialListener?
        var output: OutputReader?
        var identity: Identity?
        var group: ControlGroup?
        var watch: Watch<MemoryWatch>?
        var time: Watch<ProcessorWatch>?
        var end = SandboxEnd()
        var mustDie = false
        /// Whether its end was told.
        var isOver = false
        /// It was killed before anybody heard that it executed; what killed it is known in the end.
        var unheard: LaunchFailure?
    }

    private let holdings: Mutex<Holdings>
    private let scene: DenialListener.Scene
    private let loop: EventLoop
    private let begun: UInt64
    private let held: HeldLimits
    /// What was asked for.
    private let layers: SandboxLayers
    private let landlockABI: Int
    private let controls: SpeculationControls
    /// Why layers were left out that the host named as dispensable.
    private let lacks: [LayerLack]
    private let events: @Sendable (SandboxEvent) -> Void

    init(
        scene: DenialListener.Scene, loop: EventLoop, output: consuming Descriptor, identity: consuming Identity,
        group: consuming ControlGroup?, held: HeldLimits, layers: SandboxLayers, begun: UInt64, landlockABI: Int,
        controls: SpeculationControls, lacks: [LayerLack], events: @escaping @Sendable (SandboxEvent) -> Void
    ) throws(SandboxError) {
        self.scene = scene
        self.loop = loop
        self.begun = begun
        self.held = held
        self.layers = layers
        self.landlockABI = landlockABI
        self.controls = controls
        self.lacks = lacks
        self.events = events
        var holdings = Holdings(identity: identity)
        holdings.end.held = held
        holdings.group = consume group
        do throws(SystemError) {
            try output.stopBlocking()
            let limit = scene.policy.limits.output
            holdings.output = try OutputReader(output, limit: limit, on: loop) { events(.wrote(total: $0)) }
        } catch {
            throw SandboxError("output", error)
        }
        self.holdings = Mutex(holdings)
    }

    /// Ends it, through its own handle: never by a number that could be somebody else's by now. Once is enough.
    package func kill() {
        holdings.withLock { holdings in
            holdings.mustDie = true
            try? holdings.process?.sendSignal(SIGKILL)
        }
    }

    /// What it uses of its memory now, in bytes; nil where that is not known, or not any more.
    package func memoryInUse() -> UInt64? {
        if let file = holdings.withLock({ $0.usageFile }) { return TextFile.number(file) }
        return holdings.withLock { $0.watch }?.subject.use
    }

    /// Sends it a signal: with a reaper, who hands on to the program what a user or a service manager may send. One that
    /// comes before it is known is sent then.
    /// - Returns: false where it has ended already, whether or not anybody told so yet.
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

    /// Who ends it at a moment of the monotonic clock, whatever becomes of this process; nil where it is gone.
    func standIn(until deadline: UInt64) -> StandIn? {
        holdings.withLock { holdings in
            switch holdings.process {
            case .some(let process): try? StandIn(ending: process, at: deadline)
            case .none: nil
            }
        }
    }

    /// Nobody could end it later or hear of its refusals: it ends now.
    private func endUnheld(_ number: Int32?) {
        let cause = SystemError("recvmsg", errno: EMFILE)
        holdings.withLock { holdings in
            holdings.end.failure = SandboxError("descriptors", cause)
            holdings.unheld = number
        }
        kill()
        killUnheld()
    }

    /// Again and again until there is a number for its handle, or the warden tells that it is gone.
    private func killUnheld() {
        guard let number = holdings.withLock({ $0.unheld }) else { return }
        do throws(SystemError) {
            // Still this process: the warden reaps it and tells so in one breath, which ends this.
            try ProcessHandle(process: number).sendSignal(SIGKILL)
            holdings.withLock { $0.unheld = nil }
        } catch {
            loop.schedule(after: .milliseconds(20)) { [weak self] in self?.killUnheld() }
        }
    }

    /// What the warden tells; on the loop's thread, in order.
    func receive(_ event: consuming LaunchEvent) {
        switch consume event {
        case .started(let process, let number): start(process, number: number)
        case .unheld(let number): endUnheld(number)
        case .listener(let listener): listen(listener)
        case .executed(let times, let layers):
            holdings.withLock { $0.end.hasRun = true }
            events(.executed(report(times, layers)))
        case .stopped(let signal): events(.stopped(signal: signal))
        // What made it fail comes first; that it was killed for it is the consequence.
        case .failed(let failure, _):
            holdings.withLock { holdings in
                if failure.isDeath {
                    holdings.unheard = failure
                } else {
                    holdings.end.failure = holdings.end.failure ?? SandboxError(failure)
                }
            }
        case .ended(let end, let usage): finish(end, usage)
        case .wardenLost:
            // The kernel kills it with its warden; this is for the kernel that is slow to.
            kill()
            awaitDeath(looks: 0)
        }
    }

    /// Nobody reaps it for us any more: its end is looked for, so that neither its group is left behind nor its identity
    /// given to another one while it lives. Five seconds at most; the next start sweeps what is then left.
    private func awaitDeath(looks: Int) {
        guard looks < 1000, holdings.withLock({ $0.isAlive }) else { return finish(nil, nil) }
        loop.schedule(after: .milliseconds(5)) { [self] in awaitDeath(looks: looks + 1) }
    }

    private func start(_ process: consuming ProcessHandle, number: Int32) {
        // A closure cannot take what it captured; an optional lets it.
        var started: ProcessHandle? = consume process
        holdings.withLock { holdings in
            holdings.process = started.take()
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
            self?.holdings.withLock { $0.end.memoryFinding = finding }
            self?.kill()
        }
        let watch = Watch(subject, orOn: loop)
        holdings.withLock { $0.watch = watch }
    }

    /// An only process is bounded by the kernel.
    private func watchTime(of number: Int32) {
        let subject = ProcessorWatch(
            limit: scene.policy.limits.processor, isAlive: lives, used: processorTime(of: number)
        ) { [weak self] finding in
            self?.holdings.withLock { $0.end.processorFinding = finding }
            self?.kill()
        }
        let watch = Watch(subject, orOn: loop)
        holdings.withLock { $0.time = watch }
    }

    /// As its group counts it, where that does; else as its processes are listed.
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
            let listener = try DenialListener(descriptor, scene, on: loop) { [events] report in
                switch report {
                case .denied(let denial, let total): events(.denied(denial, total: total))
                case .aborted: events(.aborted)
                }
            }
            holdings.withLock { $0.listener = listener }
        } catch {
            // Nobody would hear of refusals: better no extension than one whose refusals nobody sees.
            holdings.withLock { $0.end.failure = SandboxError("refusals", error) }
            kill()
        }
    }

    private func finish(_ process: ProcessEnd?, _ usage: ResourceUsage?) {
        let (output, listener) = holdings.withLock { ($0.output.take(), $0.listener.take()) }
        endWatches()
        let tail = output?.finish()
        holdings.withLock { holdings in
            holdings.end.process = process
            holdings.end.usage = usage
            holdings.end.output = tail ?? OutputTail()
        }
        events(.died)
        let deadline = LookDeadline(on: loop, progress: { PostMortem.shared.count }) { [self] in
            conclude(listener?.soFar())
        }
        let leaving: @Sendable (DenialSummary?) -> Void = { [self] refusals in
            leave()
            loop.execute { [self] in
                deadline.cancel()
                conclude(refusals)
            }
        }
        guard let listener else { return PostMortem.shared.end { leaving(nil) } }
        listener.finish(leaving)
    }

    /// Lets go of the group, for whose members the kernel may want a moment. Without a process namespace the first
    /// process may leave others behind: they end now, before another sandbox gets their user. On the thread of `PostMortem`.
    private func leave() {
        let group = holdings.withLock { $0.group.take() }
        if !layers.contains(.process) { group?.endMembers() }
        let memory = group?.memoryUse()
        holdings.withLock { holdings in
            if let memory { holdings.end.memory = memory }
            holdings.identity = nil
        }
    }

    /// Tells the end, behind every refusal. Only the first time.
    private func conclude(_ refusals: DenialSummary?) {
        let end = holdings.withLock { holdings -> SandboxEnd? in
            guard !holdings.isOver else { return nil }
            holdings.isOver = true
            holdings.end.refusals = refusals ?? holdings.end.refusals
            if case .signalled(let signal, _) = holdings.end.process {
                holdings.end.mayBeOwnSignal = scene.policy.letsSendItself(signal)
            }
            holdings.judgeUnheard()
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

    private func report(_ times: LaunchTimes, _ layers: SandboxLayers) -> SandboxReport {
        let prepared = times.begun > begun ? times.begun - begun : 0
        let steps = times.durations.map { SandboxReport.Step(name: $0.step.name, duration: $0.duration) }
        return SandboxReport(
            steps: [SandboxReport.Step(name: "prepare", duration: .nanoseconds(Int64(clamping: prepared)))] + steps,
            layers: described(layers),
            waived: waivers(SandboxLayers.all.subtracting(layers)), denials: scene.mode, held: held,
            executed: times.end(of: .exec) ?? MonotonicClock.now())
    }

    /// Two of them are there in part: what of them this machine has is said.
    private func described(_ layers: SandboxLayers) -> [String] {
        SandboxLayer.allCases.filter { layers.contains(SandboxLayers($0)) }.map { layer in
            switch layer {
            case .landlock: "\(layer.title) (ABI \(landlockABI))"
            case .speculation: "\(layer.title) (\(controls))"
            default: layer.title
            }
        }
    }

    private func waivers(_ absent: SandboxLayers) -> [SandboxReport.Waiver] {
        SandboxLayer.allCases.filter { absent.contains(SandboxLayers($0)) }.map { layer in
            let lack = lacks.first { $0.layer == layer }
            return SandboxReport.Waiver(layer: layer, cause: lack?.seen, remedy: lack?.failure.remedy)
        }
    }
}

extension SandboxedProcess.Holdings {
    fileprivate var usageFile: String? {
        switch group {
        case .some(let group): group.usageFile
        case .none: nil
        }
    }

    fileprivate var processorFile: String? {
        switch group {
        case .some(let group): group.processorFile
        case .none: nil
        }
    }

    /// Whether its first process is known and has not ended.
    fileprivate var hasLivingProcess: Bool {
        switch process {
        case .some(let process): !process.hasEnded
        case .none: false
        }
    }

    /// Whether there is anything left of it, known to us or not.
    fileprivate var isAlive: Bool {
        let hasMembers =
            switch group {
            case .some(let group): group.hasMembers
            case .none: false
            }
        return hasMembers || hasLivingProcess
    }

    /// A death on the way is a launch that failed only where nothing else explains it: a limit that we held, memory
    /// that ran out, or a call that the program's own code made with its first breath.
    fileprivate mutating func judgeUnheard() {
        guard let unheard else { return }
        if !end.refusals.denials.isEmpty { end.hasRun = true }
        let isExplained = mustDie || end.hasRun || (end.memory?.kills ?? 0) > 0
        if !isExplained { end.failure = end.failure ?? SandboxError(unheard) }
    }
}
