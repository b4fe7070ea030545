internal import AnnexBrokerAPI
internal import AnnexLaunch
internal import AnnexPolicy

extension LaunchReport.Limit {
    /// Every limit of a policy, and the mechanism that holds it on this machine.
    /// - Parameter held: the limits as they were set for this launch; nil if the launch did not come that far.
    static func all(_ limits: PolicyLimits, held: HeldLimits?) -> [LaunchReport.Limit] {
        let held = held ?? HeldLimits(limits, group: [], sharesItsUser: false)
        return limits.values.map { name, value in
            let (enforcement, keeper) = keeper(of: name, limits, held)
            return LaunchReport.Limit(
                name: name.rawValue, bound: bound(name, value, held), enforcement: enforcement, keeper: keeper)
        }
    }

    /// The bound as the policy writes it, or the lower one that was set for this launch.
    private static func bound(_ name: LimitName, _ value: LimitValue, _ held: HeldLimits) -> String {
        name == .descriptors ? "\(held.descriptors)" : value.text
    }

    private static func keeper(
        of name: LimitName, _ limits: PolicyLimits, _ held: HeldLimits
    ) -> (LaunchReport.Enforcement, String) {
        switch name {
        case .memory: memory(held)
        case .processor where limits.processes > 1:
            (.watched, "RLIMIT_CPU, each process by itself; all together are looked at twice a second")
        case .processor: (.enforced, "RLIMIT_CPU")
        case .processes where held.group.contains(.processes): (.enforced, "control group and RLIMIT_NPROC")
        case .processes: (.enforced, "RLIMIT_NPROC")
        case .descriptors: (.enforced, "RLIMIT_NOFILE")
        case .file: (.enforced, "RLIMIT_FSIZE")
        case .inFlight: (.enforced, "the size of the channel's memory")
        case .launch, .request, .watchdog, .grace: (.watched, "the broker's clock")
        case .output, .refusals: (.watched, "the broker counts")
        case .messages, .openCalls: (.watched, "the host's end of the channel counts")
        case .instances: (.watched, "the broker gives places")
        case .keepAlive: (.watched, "the host's standby")
        }
    }

    /// A control group that cannot limit swap limits only memory in RAM.
    private static func memory(_ held: HeldLimits) -> (LaunchReport.Enforcement, String) {
        if held.isMemoryEnforced { return (.enforced, "control group") }
        let watch = "RLIMIT_DATA, and a look ten times a second"
        return (.watched, held.group.contains(.memory) ? "control group, but not for swap; that: \(watch)" : watch)
    }
}
