internal import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc

extension Launcher {
    /// Turns one policy into all layers. Mounts, Landlock and the filter agree, because all of them are derived from
    /// the same policy.
    func plan(
        _ configuration: consuming SandboxConfiguration, identity: borrowing Identity, groups: [String],
        held: HeldLimits, output: borrowing Descriptor, network: HostNetwork?
    ) throws(SandboxError) -> LaunchPlan {
        let policy = configuration.policy
        try Self.rejectUnknownPlaces(policy.paths)
        let (place, frameworks) = (try configuration.bundlePlace(), try configuration.frameworksPlace())
        configuration.environment[Self.frameworksVariable] = frameworks.map { Array($0.utf8) }
        var plan = try SandboxError.step("plan") { () throws(SystemError) in
            try LaunchPlan(
                executable: configuration.executablePlace(bundle: place), checked: configuration.executable,
                outsideUser: identity.user, outsideGroup: identity.group)
        }
        plan.layers = configuration.effectiveLayers
        plan.hasReaper = configuration.hasReaper
        plan.hasLoopback = policy.network.hasOwnLoopback && plan.layers.contains(.network)
        plan.argumentBytes = configuration.arguments
        let account = Self.account(of: configuration)
        let variables = environment(policy, adding: configuration.environment, account: account)
        plan.environmentBytes = variables.sorted { $0.key < $1.key }.map { Array("\($0.key)=".utf8) + $0.value }
        plan.limits = held.resources(policy.limits, hasReaper: plan.hasReaper)
        (plan.isNice, plan.yields) = (held.isNice, configuration.yields)
        plan.watchBounds = .ofMachine
        // The secret that lets a program use an X11 display is stored under the machine's name.
        if policy.paths.grants.contains(where: { $0.kind == .x11 }) {
            plan.hostname = Self.machinesName ?? plan.hostname
        }
        (plan.insideUser, plan.insideGroup) = (configuration.inside.user, configuration.inside.group)
        let (directory, followed) = (configuration.directory, configuration.followed)
        let (name, passed, partRules) = (configuration.name, configuration.passed, configuration.partRules)
        let (shared, keepsScratch) = (configuration.shared, configuration.keptScratch != nil)
        let terminal = configuration.terminalDevice(group: identity.group)
        let owners = callersFiles(of: configuration, user: identity.user, layers: plan.layers)
        (plan.fileMask, plan.signals) = (configuration.fileMask, configuration.signals)
        if plan.layers.contains(.seccomp) { try addFilter(to: &plan, policy: policy, mode: configuration.denials) }
        if let calls = try configuration.executionCalls() { plan.filter = calls.instructions + plan.filter }
        try addFiles(
            to: &plan, policy: policy, bundle: place, bundleObject: configuration.bundle.take(),
            persistent: configuration.persistent.take(), isMapped: configuration.owner.isMapped, followed: followed,
            passed: passed, named: name?.links ?? [], partRules: partRules, directory: directory, terminal: terminal,
            owners: owners,
            etc: EtcText(
                account, own: configuration.inside, home: variables["HOME"] ?? Array((policy.paths.home ?? "/").utf8),
                host: plan.hostname))
        plan.name = name?.seen(from: plan.directory)
        // A policy without /proc has no such layer to report.
        if !plan.hasProc { plan.layers.remove(.processFiles) }
        if keepsScratch, plan.hasReaper, plan.layers.contains(.root), let scratch = policy.paths.scratch {
            plan.keptScratch = plan.scratches.firstIndex { PathText.isSame($0.target, as: scratch.path) }
        }
        try openNetwork(of: configuration.sockets.take(), network, in: &plan, policy: policy)
        for directory in shared { try addShared(directory, user: identity.user, to: &plan) }
        if let frameworks, let directory = configuration.frameworks.take() {
            try addFrameworks(directory, at: frameworks, policy: policy, to: &plan)
        }
        do throws(SystemError) {
            try join(groups, in: &plan)
            if let terminal = configuration.terminal.take() { plan.control(by: terminal) }
            try giveStreams(&plan, output: output, streams: configuration.streams)
            give(&plan, numbers: configuration.numbers, gifts: configuration.gifts)
        } catch {
            throw SandboxError("plan", error: error)
        }
        return plan
    }

    /// Rejects a policy whose places of the caller were not found. An extension has no caller.
    private static func rejectUnknownPlaces(_ paths: PolicyPaths) throws(SandboxError) {
        guard let first = paths.callersGrants.first?.pattern ?? (paths.repositories == .none ? nil : "repositories")
        else { return }
        throw SandboxError(
            "grants", cause: "the policy states `\(first)`, which depends on the caller of `annex run`",
            remedy: "use a policy without it for extensions")
    }

    /// The machine's name; nil if it is unknown or no plain name.
    private static var machinesName: String? {
        guard let name = TextFile.read("/proc/sys/kernel/hostname").map(TextFile.lines)?.first else { return nil }
        let isPlain = name.utf8.allSatisfy { byte in
            [0x2D, 0x2E, 0x5F].contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
        return isPlain && name.utf8.count <= 64 ? String(name) : nil
    }

    /// The variable that tells an extension where the `Frameworks` directory of its app is.
    private static let frameworksVariable = "ANNEX_FRAMEWORKS"

    /// The names of the caller, if the process sees the caller's own numbers; nil if it sees others.
    private static func account(of configuration: borrowing SandboxConfiguration) -> AccountNames? {
        let (inside, caller) = (configuration.inside, OwnNumbers(user: getuid(), group: getgid()))
        guard configuration.user == .ofPrograms, inside == caller else { return nil }
        return AccountNames(user: inside.user, group: inside.group)
    }

    private func environment(
        _ policy: Policy, adding more: [String: [UInt8]], account: AccountNames?
    ) -> [String: [UInt8]] {
        var values = policy.environment.fixed.mapValues { Array($0.utf8) }
        for name in policy.environment.passed {
            guard let value = OwnEnvironment.bytes(of: name), !Self.namesDescriptor(value, of: name) else { continue }
            values[name] = value
        }
        if let home = policy.paths.home { values["HOME"] = Array(home.utf8) }
        if let temporary = policy.paths.temporary { values["TMPDIR"] = Array(temporary.utf8) }
        if let account {
            for name in ["USER", "LOGNAME"] { values[name] = Array(account.user.utf8) }
        }
        values.merge(more) { $1 }
        return values
    }

    /// Whether a variable of `make` names the descriptors or the pipe by which programs of one `make` share their jobs.
    /// A sandbox has neither.
    private static func namesDescriptor(_ value: [UInt8], of name: String) -> Bool {
        name == "MAKEFLAGS" && String(decoding: value, as: UTF8.self).contains("--jobserver")
    }

    /// Gives the process its standard streams. If the configuration has streams, they are used. Otherwise the process
    /// gets an empty input and the launcher's own pipe.
    private func giveStreams(
        _ plan: inout LaunchPlan, output: borrowing Descriptor, streams: consuming DescriptorList
    ) throws(SystemError) {
        if streams.isEmpty {
            streams.append(try Descriptor.open("/dev/null", O_RDONLY))
            for _ in 1...2 { streams.append(try output.duplicate()) }
        }
        var number = STDIN_FILENO
        while let stream = streams.takeFirst() {
            plan.give(stream, as: number)
            number += 1
        }
    }

    /// The sockets of single ports and of named hosts.
    private func openNetwork(
        of ports: consuming SandboxSockets?, _ network: HostNetwork?, in plan: inout LaunchPlan, policy: Policy
    ) throws(SandboxError) {
        if let ports = consume ports { try open(ports, in: &plan, policy: policy) }
        if let network { plan.open(try network.sockets()) }
    }

    private func open(
        _ sockets: consuming SandboxSockets, in plan: inout LaunchPlan, policy: Policy
    ) throws(SandboxError) {
        guard plan.hasLoopback else {
            throw SandboxError(
                "ports", cause: "the sandbox has no network of its own, so single ports cannot be kept apart",
                remedy: "leave out the ports, or run where the layer `network` is available and do not waive it")
        }
        if let rules = sockets.rules, plan.layers.contains(.landlock) {
            plan.landlock.restrict(
                to: rules, rights: landlock?.network ?? 0, connectsItself: policy.network.connectsItself)
        }
        plan.open(sockets)
    }

    private func give(_ plan: inout LaunchPlan, numbers: [Int32], gifts: consuming DescriptorList) {
        for number in numbers {
            guard let gift = gifts.takeFirst() else { break }
            plan.give(gift, as: number)
        }
    }

    private func join(_ groups: [String], in plan: inout LaunchPlan) throws(SystemError) {
        guard let hierarchy, let memory = groups.first else { return }
        plan.removals = groups
        switch hierarchy.version {
        case .two: plan.begin(in: try Descriptor.directory(memory))
        case .one:
            for group in groups { plan.join(tasks: try Descriptor.open(group + "/tasks", O_WRONLY)) }
        }
    }

    /// The flags that this kernel supports for the notification listener.
    private static let notificationFlags = UInt32(annex_notification_flags())

    private func addFilter(to plan: inout LaunchPlan, policy: Policy, mode: DenialMode) throws(SandboxError) {
        // `random` calls getrandom(2). If a program could guess the number, it could execute another program.
        let nonce = UInt64.random(in: .min ... .max)
        do throws(PolicyError) {
            let told = mode.checksPaths ? policy.reportingEachDenial() : policy
            plan.filter = try told.filter(reporting: mode.reports).instructions(nonce: nonce)
        } catch {
            throw SandboxError("filter", cause: "\(error)")
        }
        plan.hasWriteXorExecute = policy.writeXorExecute && !mode.isPermissive
        plan.execNonce = nonce
        if plan.layers.contains(.listener) {
            plan.filterFlags = Self.notificationFlags
        } else if mode != .enforce {
            // Without a listener, the kernel answers ENOSYS to each call that the filter refers to it. In this mode,
            // these are most calls of the program.
            throw SandboxError(
                "listener", cause: "denied paths cannot be reported without the layer `listener`, which is left out",
                remedy: "run the program without this mode (`--explain`)")
        }
    }
}
