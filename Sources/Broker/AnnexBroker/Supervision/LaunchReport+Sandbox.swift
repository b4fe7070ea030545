internal import AnnexBrokerAPI
internal import AnnexLaunch
internal import AnnexPolicy

extension LaunchReport {
    /// Makes the report on a launch from the sandbox's report. If the extension said hello, the report gets the step
    /// `hello`.
    init(
        _ report: SandboxReport, policy: String, limits: PolicyLimits, privateDirectory: PrivateOwner?,
        waited: Duration, hello: UInt64?
    ) {
        var steps = report.steps.map { Step(name: $0.name, duration: $0.duration) }
        if let hello {
            let start = hello > report.executed ? hello - report.executed : 0
            steps.append(Step(name: "hello", duration: .nanoseconds(Int64(clamping: start))))
        }
        self.init(
            waited: waited, steps: steps, layers: report.layers, waived: report.waived.compactMap(Waiver.init),
            policy: policy,
            limits: Limit.all(limits, held: report.held), memoryLimit: limits.memory,
            memory: report.isMemoryEnforced ? .enforced : .watched, privateDirectory: privateDirectory)
    }
}

extension LaunchReport.PrivateOwner {
    init(_ owner: DirectoryOwner) {
        self =
            switch owner {
            case .ofCaller: .caller
            case .mapped: .idMap
            case .shared: .userOfApp
            }
    }
}

extension LaunchReport.Waiver {
    /// The result is nil if the launch never tried the layer. Such a layer was not waived.
    fileprivate init?(_ waiver: SandboxReport.Waiver) {
        guard let cause = waiver.cause, let layer = DispensableLayer(waiver.layer) else { return nil }
        self.init(layer: layer, cause: cause, remedy: waiver.remedy)
    }
}

extension DispensableLayer {
    /// The two types use the same raw values.
    init?(_ layer: SandboxLayer) { self.init(rawValue: layer.rawValue) }
}

extension SandboxLayer {
    init?(_ layer: DispensableLayer) { self.init(rawValue: layer.rawValue) }
}

extension LaunchReport.Limit {
    /// Every limit of a policy, and the mechanism that enforces it on this machine.
    /// - Parameter held: the limits as they were set for this launch. It is nil if the launch ended before they were
    ///   set.
    static func all(_ limits: PolicyLimits, held: HeldLimits?) -> [LaunchReport.Limit] {
        let held = held ?? HeldLimits(limits, group: [], sharesItsUser: false)
        return limits.values.map { name, value in
            let (enforcement, keeper) = keeper(of: name, limits: limits, held: held)
            return LaunchReport.Limit(
                name: name.rawValue, bound: bound(of: name, value: value, held: held), enforcement: enforcement,
                keeper: keeper)
        }
    }

    /// The bound as the policy writes it. If the launch set a lower bound, the result is that bound.
    private static func bound(of name: LimitName, value: LimitValue, held: HeldLimits) -> String {
        name == .descriptors ? "\(held.descriptors)" : value.text
    }

    private static func keeper(
        of name: LimitName, limits: PolicyLimits, held: HeldLimits
    ) -> (LaunchReport.Enforcement, String) {
        switch name {
        case .memory: memory(held)
        case .processor where limits.processes > 1:
            (.watched, "RLIMIT_CPU for each process, and a check of the total twice a second")
        case .processor: (.enforced, "RLIMIT_CPU")
        case .processes where held.group.contains(.processes): (.enforced, "control group and RLIMIT_NPROC")
        case .processes: (.enforced, "RLIMIT_NPROC")
        case .descriptors: (.enforced, "RLIMIT_NOFILE")
        case .file: (.enforced, "RLIMIT_FSIZE")
        case .inFlight: (.enforced, "the size of the channel's memory")
        case .launch, .request, .watchdog, .grace: (.watched, "the broker's clock")
        case .output, .denials: (.watched, "the broker's count")
        case .messages, .openCalls: (.watched, "the count at the host's end of the channel")
        case .instances: (.watched, "the broker's instance slots")
        case .keepAlive: (.watched, "the host's standby")
        }
    }

    /// If a control group cannot limit swap, the group limits only memory in RAM.
    private static func memory(_ held: HeldLimits) -> (LaunchReport.Enforcement, String) {
        if held.isMemoryEnforced { return (.enforced, "control group") }
        let watch = "RLIMIT_DATA, and a check ten times a second"
        return (.watched, held.group.contains(.memory) ? "control group without swap; for swap: \(watch)" : watch)
    }
}
