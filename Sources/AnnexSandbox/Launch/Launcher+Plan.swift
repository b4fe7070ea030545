internal import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc

extension Launcher {
    /// One policy becomes every layer here: mounts, Landlock and filter say the same because they are read off the
    /// same value.
    func plan(
        _ configuration: consuming SandboxConfiguration, identity: borrowing Identity, groups: [String],
        output: borrowing Descriptor
    ) throws(SandboxError) -> LaunchPlan {
        let policy = configuration.policy
        try refuseUnbuilt(policy)
        let layers = configuration.effectiveLayers
        let place = try configuration.bundlePlace()
        var plan = try SandboxError.step("plan") { () throws(SystemError) in
            try LaunchPlan(
                executable: place + "/" + configuration.executablePath,
                checked: configuration.executable, outsideUser: identity.user, outsideGroup: identity.group)
        }
        plan.layers = layers
        plan.arguments = [configuration.name]
        plan.environment = environment(policy)
        plan.limits = limits(policy.limits, isGrouped: !groups.isEmpty)
        if layers.contains(.landlock) {
            // Nil only where every launch leaves the layer out.
            guard let landlock else { throw SandboxError("Landlock", cause: "the kernel has none") }
            plan.landlock = rules(policy.paths, landlock, bundle: place, hasPrivate: layers.contains(.root))
        }
        if layers.contains(.root) { addPrivateDirectory(&plan, policy.paths) }
        if layers.contains(.seccomp) { try addFilter(&plan, policy, configuration.denials) }
        do throws(SystemError) {
            try join(groups, &plan)
            try giveDescriptors(&plan, output: output, numbers: configuration.numbers, configuration.gifts)
            try plan.bind(configuration.bundle, at: SandboxConfiguration.bundlePath)
        } catch {
            throw SandboxError("plan", error)
        }
        return plan
    }

    /// What a policy can ask for and no plan builds: less than asked for is never silent.
    private func refuseUnbuilt(_ policy: Policy) throws(SandboxError) {
        let paths = policy.paths
        var asked: [String] = []
        if !paths.grants.isEmpty { asked.append("`paths: grants`") }
        if paths.processFiles != .none { asked.append("`paths: proc`") }
        if case .persistent = paths.privateDirectory { asked.append("`paths: private: persistent`") }
        if paths.privatePath != SandboxConfiguration.privatePath { asked.append("`paths: private: … at`") }
        if !policy.devices.isEmpty { asked.append("`devices`") }
        if policy.network != .none { asked.append("`network: \(policy.network.rawValue)`") }
        guard asked.isEmpty else {
            throw SandboxError(
                "plan", cause: "the policy `\(policy.name)` asks for \(asked.joined(separator: ", "))",
                mend: "this launcher cannot give that: take it out of the policy")
        }
    }

    private func environment(_ policy: Policy) -> [String] {
        var values = policy.environment.fixed
        for name in policy.environment.passed {
            // SAFETY: the text is copied before anything can change the environment again.
            if let value = unsafe getenv(name) { values[name] = unsafe String(cString: value) }
        }
        if policy.paths.privateDirectory != .none {
            values["HOME"] = SandboxConfiguration.privatePath
            values["TMPDIR"] = SandboxConfiguration.privatePath
        }
        return values.map { "\($0.key)=\($0.value)" }.sorted()
    }

    private func limits(_ limits: PolicyLimits, isGrouped: Bool) -> [ResourceLimit] {
        var list = [
            // Not 0: a piped handler of the host's runs at 0 too, and stops at 1.
            ResourceLimit(UInt32(RLIMIT_CORE.rawValue), 1),
            ResourceLimit(UInt32(RLIMIT_NOFILE.rawValue), UInt64(max(8, limits.descriptors))),
            ResourceLimit(UInt32(RLIMIT_FSIZE.rawValue), limits.file),
            ResourceLimit(UInt32(__RLIMIT_NPROC.rawValue), UInt64(max(1, limits.processes))),
            ResourceLimit(UInt32(RLIMIT_CPU.rawValue), UInt64(max(1, limits.processor.components.seconds))),
            ResourceLimit(UInt32(__RLIMIT_MEMLOCK.rawValue), 0),
            ResourceLimit(UInt32(__RLIMIT_MSGQUEUE.rawValue), 0),
            ResourceLimit(UInt32(__RLIMIT_SIGPENDING.rawValue), 64),
        ]
        // With a control group the kernel counts every kind of memory; without one, private memory ends here.
        if !isGrouped { list.append(ResourceLimit(UInt32(RLIMIT_DATA.rawValue), limits.memory)) }
        return list.map { $0.withinOwn() }
    }

    private func giveDescriptors(
        _ plan: inout LaunchPlan, output: borrowing Descriptor, numbers: [Int32], _ gifts: consuming DescriptorList
    ) throws(SystemError) {
        plan.give(try Descriptor.open("/dev/null", O_RDONLY), as: 0)
        plan.give(try output.duplicate(), as: 1)
        plan.give(try output.duplicate(), as: 2)
        for number in numbers {
            guard let gift = gifts.takeFirst() else { break }
            plan.give(gift, as: number)
        }
    }

    private func join(_ groups: [String], _ plan: inout LaunchPlan) throws(SystemError) {
        guard let hierarchy, let memory = groups.first else { return }
        plan.removals = groups
        switch hierarchy.version {
        case .two: plan.begin(in: try Descriptor.directory(memory))
        case .one:
            for group in groups { plan.join(tasks: try Descriptor.open(group + "/tasks", O_WRONLY)) }
        }
    }

    private func addPrivateDirectory(_ plan: inout LaunchPlan, _ paths: PolicyPaths) {
        guard case .scratch(let size, let inodes) = paths.privateDirectory else { return }
        plan.scratches = [Scratch(at: SandboxConfiguration.privatePath, size: size, inodes: inodes)]
        plan.directory = SandboxConfiguration.privatePath
    }

    private func rules(
        _ paths: PolicyPaths, _ landlock: LandlockVersion, bundle place: String, hasPrivate: Bool
    ) -> LandlockRules {
        var rules = LandlockRules()
        rules.files = landlock.files
        rules.network = landlock.network
        rules.scopes = landlock.scopes
        var bundle: LandlockRights = []
        if paths.bundle.contains(.read) { bundle.formUnion(.reading) }
        if paths.bundle.contains(.execute) { bundle.insert(.execute) }
        rules.rules = [LandlockRules.Rule(place, access: landlock.known(bundle))]
        if hasPrivate && paths.privateDirectory != .none {
            let access = landlock.known(.owning)
            rules.rules.append(LandlockRules.Rule(SandboxConfiguration.privatePath, access: access))
        }
        return rules
    }

    private func addFilter(_ plan: inout LaunchPlan, _ policy: Policy, _ mode: DenialMode) throws(SandboxError) {
        // The system's generator is getrandom(2): who could guess the number could run another program.
        let nonce = UInt64.random(in: .min ... .max)
        do throws(PolicyError) {
            let told = mode.isPermissive ? policy.refusingAloud() : policy
            plan.filter = try told.filter(reporting: mode.reports).instructions(nonce: nonce)
        } catch {
            throw SandboxError("filter", cause: "\(error)")
        }
        plan.execNonce = nonce
        plan.filterFlags = UInt32(annex_notification_flags())
    }
}
