internal import AnnexPolicy
internal import AnnexService

extension LaunchReport.Limit {
    /// Every limit of a policy, and who holds it on this machine.
    static func all(_ limits: PolicyLimits, isMemoryEnforced: Bool) -> [LaunchReport.Limit] {
        limits.values.map { name, value in
            let (enforcement, keeper) = keeper(of: name, limits, isMemoryEnforced: isMemoryEnforced)
            return LaunchReport.Limit(
                name: name.rawValue, bound: value.text, enforcement: enforcement, keeper: keeper)
        }
    }

    private static func keeper(
        of name: LimitName, _ limits: PolicyLimits, isMemoryEnforced: Bool
    ) -> (LaunchReport.Enforcement, String) {
        switch name {
        case .memory where isMemoryEnforced: (.enforced, "control group")
        case .memory: (.watched, "RLIMIT_DATA, and a look ten times a second")
        case .processor: (.enforced, limits.processes > 1 ? "RLIMIT_CPU, each process by itself" : "RLIMIT_CPU")
        case .processes where isMemoryEnforced && limits.processes > 1: (.enforced, "control group and RLIMIT_NPROC")
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
}
