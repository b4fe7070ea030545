package import AnnexLinux
package import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Turns configurations into sandboxed processes. The launcher owns one warden and one event loop, and knows what this
/// machine offers.
package final class Launcher: Sendable {
    package let loop: EventLoop
    private let present: Mutex<Warden>
    /// The kernel's Landlock version; nil if the kernel has no Landlock and the host waived the layer.
    package let landlock: LandlockVersion?
    /// The layers that the host waived and that this machine cannot provide.
    package let missingLayers: [MissingLayer]
    /// Where control groups are made; nil if none can be made. Without groups, the use of memory is watched
    /// instead.
    private let parent: GroupParent?
    /// An empty control group for the next launch. The first spare group is the group that was made to try the parent.
    /// From the second launch on, each launch makes the next spare group after it has handed its plan to the warden.
    /// At that time the launching thread has nothing else to do. A host that has launched twice will probably launch
    /// again.
    private let spareGroup: Mutex<ControlGroup?>
    /// SYNC: relaxed, because this flag guards no other data.
    private let hasLaunched = Atomic<Bool>(false)
    /// The users to give to sandboxes; nil for an ordinary user, whose extensions run as that user.
    let identities: IdentityRange?
    /// How the owner of this launcher can do without a layer.
    private let advice: LayerAdvice
    /// The id maps of shared directories.
    let maps = OwnerMaps()
    /// For each file system, by its device: whether it supports id maps.
    let mappable = Mutex<[UInt64: Bool]>([:])

    /// - Parameter spare: an empty control group in `parent`.
    init(
        loop: EventLoop, warden: Warden, landlock: LandlockVersion?, missingLayers: [MissingLayer],
        parent: GroupParent?, spare: consuming ControlGroup?, identities: IdentityRange?, advice: LayerAdvice
    ) {
        self.loop = loop
        present = Mutex(warden)
        self.landlock = landlock
        self.missingLayers = missingLayers
        self.parent = parent
        spareGroup = Mutex(spare)
        self.identities = identities
        self.advice = advice
    }

    /// Begins a launch. All its results, including failures, arrive as events on the loop's thread. `ended` is the last
    /// event.
    package func launch(
        _ configuration: consuming SandboxConfiguration, events: @escaping @Sendable (SandboxEvent) -> Void
    ) throws(SandboxError) -> SandboxedProcess {
        let begun = MonotonicClock.now()
        let limits = configuration.policy.limits
        var configuration = configuration
        configuration.layers.subtract(absent)
        try configuration.rejectWritableCode()
        let identity = try identity(of: configuration)
        configuration.settle(on: numbersInside(configuration, identity: identity))
        var scene = try scene(of: configuration)
        let network = try configuration.hostNetwork()
        scene.routes = network?.routes
        let group = try controlGroup(limits, hasReaper: configuration.hasReaper, yields: configuration.yields)
        let keptScratch = configuration.keptScratch
        let held = HeldLimits(
            limits, group: Self.bounds(of: group), sharesItsUser: sharesItsUser(configuration))
        try Self.rejectUnnumbered(depth: ProcNumber.depth)
        try Self.rejectUnwatchable(held, hasReaper: configuration.hasReaper)
        var output = try SandboxError.step("output") { () throws(SystemError) in try DescriptorPair.pipe().list() }
        guard let reading = output.takeFirst(), let writing = output.takeFirst() else {
            throw SandboxError("output", cause: "pipe2 returned no two descriptors")
        }
        let directories = Self.directories(of: group)
        var plan = try plan(
            configuration, identity: identity, groups: directories, held: held, output: writing, network: network)
        if plan.makesDirectory, let index = plan.keptScratch {
            keptScratch?.expect(workingDirectory: plan.directory, besides: plan.scratches[index].target)
        }
        let next = hasLaunched.exchange(true, ordering: .relaxed) ? OwnedName.next() : nil
        // The warden removes these directories if this broker is killed or exits without removing them.
        if let hierarchy, let next { plan.removals.append(ControlGroup.directory(in: hierarchy, named: next)) }
        plan.removals += parent?.node?.directories ?? []
        scene.hasReaper = plan.hasReaper
        scene.guardsConnections = plan.layers.contains(.landlock) && plan.landlock.deniesConnecting
        scene.isMemoryEnforced = held.isMemoryEnforced
        let warden = try self.warden()
        let process = try SandboxedProcess(
            scene: scene, loop: loop, output: reading, identity: identity, group: group, held: held,
            layers: plan.layers, begun: begun, landlockABI: landlock?.abi ?? 0, controls: warden.controls,
            missingLayers: missingLayers, foreignPlaces: plan.foreignPlaces, keptScratch: keptScratch,
            parts: plan.partFacts, network: network, advice: advice, events: events)
        do throws(LaunchFailure) {
            try warden.launch(plan) { process.receive($0) }
        } catch {
            throw SandboxError(error, advice: advice)
        }
        if let next { makeSpareGroup(named: next) }
        return process
    }

    private func identity(of configuration: borrowing SandboxConfiguration) throws(SandboxError) -> Identity {
        guard let identities else { return Identity(ofCaller: ()) }
        if case .shared(let owner) = configuration.owner { return IdentityRange.identity(ofOwner: owner) }
        let user = configuration.user
        return try SandboxError.step("identity") { () throws(SystemError) in
            switch user {
            case .ofItsOwn: try identities.claim()
            case .ofPrograms: IdentityRange.ofPrograms
            }
        }
    }

    /// The numbers that the process sees as its own user and group.
    ///
    /// A program that an ordinary user runs keeps this user's numbers: the program, its files and the services that it
    /// talks to then agree on them. A program of root has other numbers, and so has a program of uid 0 that is an
    /// ordinary user outside of this user namespace, because no process of a sandbox may be uid 0 inside. An extension
    /// sees numbers that say nothing.
    private func numbersInside(
        _ configuration: borrowing SandboxConfiguration, identity: borrowing Identity
    ) -> OwnNumbers {
        let outside = OwnNumbers(user: identity.user, group: identity.group)
        // Without a user namespace, the process sees the numbers of the host.
        guard configuration.effectiveLayers.contains(.user) else { return outside }
        if case .mapped(let owner) = configuration.owner { return OwnNumbers(user: owner, group: owner) }
        guard configuration.user == .ofPrograms else { return .hidden }
        return !hasUsersToGive && outside.user != 0 ? outside : .programs
    }

    /// Whether other programs of this machine run as the same user as the sandbox.
    func sharesItsUser(_ configuration: borrowing SandboxConfiguration) -> Bool {
        if case .shared = configuration.owner { return true }
        return identities == nil || configuration.user == .ofPrograms
    }

    private func scene(of configuration: borrowing SandboxConfiguration) throws(SandboxError) -> CallDesk.Scene {
        var scene = CallDesk.Scene(
            policy: configuration.policy, mode: configuration.denials,
            name: String(decoding: configuration.arguments.first ?? [], as: UTF8.self))
        scene.isLogged = configuration.isLogged
        scene.hasPrivateInput = configuration.hasPrivateInput
        scene.offers = configuration.offers
        scene.grantee = configuration.grantee
        scene.connections = configuration.connections
        scene.hasTerminal = configuration.terminal != nil
        scene.executions = try configuration.executionCalls()
        if let home = configuration.callersHome {
            scene.home = HomeCounterpart(
                home: configuration.environment["HOME"], outside: home, policy: configuration.policy)
        }
        if !configuration.effectiveLayers.contains(.root) { scene.bundle = try configuration.bundlePlace() }
        do throws(SystemError) {
            scene.program = try ProgramFile(configuration.executable)
        } catch {
            throw SandboxError("executable", error: error)
        }
        return scene
    }

    /// The layers that every launch leaves out, because the host waived them and this machine cannot provide them.
    private var absent: SandboxLayers { missingLayers.reduce(into: []) { $0.insert(SandboxLayers($1.layer)) } }

    /// The layers that every launch leaves out, with cause and remedy, for reports.
    package var waivers: [SandboxReport.Waiver] {
        missingLayers.map { SandboxReport.Waiver(layer: $0.layer, cause: $0.seen, remedy: $0.failure.remedy) }
    }

    /// Whether launches have a layer. The answer is false if the host waived the layer and this machine cannot provide
    /// it.
    package func gives(_ layer: SandboxLayer) -> Bool { !missingLayers.contains { $0.layer == layer } }

    /// The controls of the layer `speculation` that this machine offers.
    package var controls: SpeculationControls { present.withLock { $0.controls } }

    /// Where the warden's program was found.
    package var wardenProgram: WardenProgram { present.withLock { $0.program } }

    /// Ends every sandbox and the warden.
    package func shutDown() {
        spareGroup.withLock { $0 = nil }
        present.withLock { $0 }.shutDown()
    }

    /// The warden that performs the launches. If the present warden was killed, its sandboxes died with it, and this
    /// call starts a new warden.
    func warden() throws(SandboxError) -> Warden {
        try present.withLock { (warden) throws(SandboxError) in
            guard warden.isLost else { return warden }
            let next = try SandboxError.step("warden") { () throws(SystemError) in try Warden.start(on: loop) }
            warden = next
            return next
        }
    }

    /// The hierarchy in which control groups are made; nil if none can be made.
    var hierarchy: ControlGroupHierarchy? { parent?.hierarchy }

    /// Whether the launcher has a control group that enforces the share of all its launches (`GroupShare`).
    package var holdsShare: Bool { parent?.node != nil }

    private func controlGroup(
        _ limits: PolicyLimits, hasReaper: Bool, yields: Bool
    ) throws(SandboxError) -> ControlGroup? {
        guard let parent else { return nil }
        return try SandboxError.step("control group") { () throws(SystemError) in
            var group = try emptyGroup(in: parent)
            try group.limit(
                memory: limits.memory, processes: hasReaper ? UInt64(max(1, limits.processes)) + 1 : nil,
                share: yields ? .yielding : .sandbox)
            return group
        }
    }

    private func emptyGroup(in parent: GroupParent) throws(SystemError) -> ControlGroup {
        // Another tool may have removed the spare group because it was empty.
        if let spare = spareGroup.withLock({ $0.take() }), spare.isThere { return spare }
        return try ControlGroup(in: parent.hierarchy, below: parent.node, named: OwnedName.next())
    }

    /// Makes the next spare group. If this fails, the next launch tries again and reports the error.
    private func makeSpareGroup(named name: String) {
        guard let parent else { return }
        spareGroup.withLock { spare in
            spare =
                if let known = spare.take() { known } else {
                    try? ControlGroup(in: parent.hierarchy, below: parent.node, named: name)
                }
        }
    }

    /// Rejects a launch whose processes could not be found in `/proc`, where every watch looks for them.
    static func rejectUnnumbered(depth: Int?) throws(SandboxError) {
        if depth != nil { return }
        throw SandboxError(
            "process numbers", cause: "it cannot be found out which numbers /proc gives to the processes of a sandbox",
            remedy: "let /proc show this program (mount -t proc proc /proc), and allow pidfd_open")
    }

    /// Rejects a launch whose memory could not be watched. The watch must find each process of the sandbox. The watch
    /// misses processes if the kernel does not list a process's children, or if `/proc` hides the first process.
    private static func rejectUnwatchable(_ held: HeldLimits, hasReaper: Bool) throws(SandboxError) {
        guard hasReaper, !held.isMemoryEnforced else { return }
        if let option = HiddenProcesses.option {
            throw SandboxError(
                "control group",
                cause:
                    "no control group limits memory, and Annex cannot watch it: /proc is mounted with `\(option)`, "
                    + "which hides the first process of the sandbox",
                remedy: "give this program a control group with the memory controller, or "
                    + HiddenProcesses.remedy(option))
        }
        if ProcessTree.isListed { return }
        throw SandboxError(
            "control group",
            cause:
                "no control group limits memory, and Annex cannot watch it: this kernel does not list the children of "
                + "a process",
            remedy: "give this program a control group with the memory controller, or boot a kernel with "
                + "CONFIG_PROC_CHILDREN")
    }

    private static func bounds(of group: borrowing ControlGroup?) -> GroupBounds {
        switch group {
        case .some(let group): group.bounds
        case .none: []
        }
    }

    private static func directories(of group: borrowing ControlGroup?) -> [String] {
        switch group {
        case .some(let group): group.directories
        case .none: []
        }
    }
}
