internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks on limits: descriptors, the start, memory and the end of an extension.
extension Catalogue {
    static let descriptors: [Attack] = [
        Attack(
            "FD-01", technique: "Inherited host fd",
            .leaked("ask for a descriptor that the host left open", call: "fcntl", with: 1)),
        Attack(
            "FD-02", technique: "Broker passes a directory fd",
            trial: .drivenBy(["AnnexModelTests/ItemTests: FS-26"])),
        Attack(
            "FD-03", technique: "fd bomb (max per message, unread queue; ETOOMANYREFS hits same uid)",
            trial: .drivenBy(["AnnexChannelTests/HandOverTests: FD-03", "AnnexLinuxTests/ControlSocketTests: FD-03"])),
        Attack(
            "FD-04", technique: "Truncated control data",
            trial: .drivenBy(["AnnexLinuxTests/ControlSocketTests: FD-04"])),
        Attack(
            "FD-05", technique: "unix-socket cycles in flight (GC cost)",
            trial: .drivenBy(["AnnexChannelTests/HandOverTests: FD-05"])),
        Attack(
            "FD-06", technique: "Shared open description: child sets O_NONBLOCK/O_ASYNC/seek on host's stderr",
            Try("O_NONBLOCK on standard error", else: "a pipe of its own") { script, _, _ in
                let before = TrialFacts.errorFlags()
                return .onHost(script.call("fcntl", with: 2, 4, 0o4001)) { TrialFacts.errorFlags() != before }
            }),
        Attack(
            "FD-07", technique: "Forged SCM_CREDENTIALS / pid reuse",
            trial: .drivenBy(["AnnexLinuxTests/ControlSocketTests: the peer of a control socket is known as a process"])
        ),
        Attack(
            "FD-08", technique: "Broker at RLIMIT_NOFILE spins on accept",
            trial: .notApplicable("the broker lives in its host and accepts no connections")),
        Attack(
            "FD-09", technique: "An io_uring or pidfd descriptor handed over",
            addition: true, trial: .drivenBy(["AnnexChannelTests/HandOverTests: FD-05"])),
    ]

    static let start: [Attack] = [
        Attack(
            "START-01", technique: "Constructor or LD_PRELOAD runs before filter",
            trial: .drivenBy([
                "AnnexSandboxTests/Warden/WorldTests: START-01",
                "AnnexSandboxTests/Warden/FilterTests: the listener arrives before the program runs",
            ])),
        Attack(
            "START-02", technique: "Fork before cgroup attach",
            trial: .drivenBy(["AnnexSandboxTests/Warden/GroupTests: START-02"])),
        Attack(
            "START-03", technique: "Broker dies between clone and PDEATHSIG",
            trial: .drivenBy([
                "AnnexSandboxTests/Warden/LifelineTests: a host that is killed leaves nothing",
                "AnnexSandboxTests/Warden/LifelineTests: a killed warden ends its sandboxes and is reported",
                "EndToEndTests/LifetimeTests: L4",
            ])),
        Attack(
            "START-04", technique: "Never says hello",
            trial: .drivenBy([
                "AnnexSupervisionTests/LifecycleTests: L1",
                "EndToEndTests/DemoTests: every attack of the demo is held",
            ])),
        Attack(
            "START-05", technique: "Half hello, two hellos, wrong version",
            trial: .drivenBy(["AnnexChannelTests/HostilePeerTests: START-05"])),
        Attack(
            "START-06", technique: "100 starts at once",
            trial: .drivenBy(["EndToEndTests/LifetimeTests: START-06"])),
        Attack(
            "START-07", technique: "Binary swapped between check and exec",
            trial: .drivenBy([
                "AnnexBundleTests/AppBundleTests: START-07",
                "AnnexSandboxTests/Warden/FilesTests: an executable that was swapped is refused",
            ])),
        Attack(
            "START-08", technique: "Map not yet written",
            trial: .drivenBy(["AnnexSandboxTests/Warden/WorldTests: START-08"])),
    ]

    static let bombs: [Attack] = [
        Attack(
            "BOMB-01", technique: "malloc bomb",
            Try("more memory than the limit", else: "the limit of memory") { script, _, policy in
                let limit = policy.limits.memory >> 20
                return .atLeast(script.conduct(.touch, with: .value(limit + 64)), Int64(limit) + 32)
            }),
        Attack(
            "BOMB-02", technique: "Fork bomb",
            Try("more child processes than the limit", else: "the limit of processes") { script, _, policy in
                let limit = UInt64(policy.limits.processes)
                return .atLeast(script.conduct(.forks, with: .value(limit + 32)), Int64(limit))
            }),
        Attack(
            "BOMB-03", technique: "Thread bomb",
            Try("more threads than the limit", else: "the limit of processes") { script, _, policy in
                let limit = UInt64(policy.limits.processes)
                return .atLeast(script.conduct(.threads, with: .value(limit + 32)), Int64(limit))
            }),
        Attack(
            "BOMB-04", technique: "fd bomb",
            Try("more descriptors than the limit", else: "the limit of descriptors") { script, _, policy in
                let limit = Int64(policy.limits.descriptors)
                return .atLeast(script.repeat("fcntl", times: limit + 16, with: 0, 1030, 0), limit)
            }),
        Attack(
            "BOMB-05", technique: "CPU spin",
            trial: .drivenBy(["EndToEndTests/LifeTests: L3", "EndToEndTests/LifeTests: L6"])),
        Attack(
            "BOMB-06", technique: "stdout flood",
            Try("more output than the limit", else: "the limit of output") { script, _, policy in
                let times = Int64(policy.limits.output / 4096) + 64
                return .survives(script.repeat("write", times: times * 16, with: 1, script.room(4096), 4096))
            }),
        Attack(
            "BOMB-07", technique: "Denial flood into audit/journal",
            trial: .drivenBy(["AnnexSandboxTests/LedgerTests: BOMB-07"])),
        Attack(
            "BOMB-08", technique: "Message flood", trial: .drivenBy(["AnnexChannelTests/HostilePeerTests: BOMB-08"])),
        Attack(
            "BOMB-09", technique: "4 GiB length prefix",
            trial: .drivenBy([
                "AnnexChannelTests/HostilePeerTests: BOMB-09", "AnnexModelTests/Codec/CodecTests: BOMB-09",
            ])),
        Attack(
            "BOMB-10", technique: "Slow-loris frame",
            trial: .drivenBy([
                "AnnexChannelTests/HostilePeerTests: a length beyond half the ring is refused",
                "AnnexSupervisionTests/LifecycleTests: L1",
            ])),
        Attack(
            "BOMB-11", technique: "Never reads",
            trial: .drivenBy(["AnnexChannelTests/HostilePeerTests: BOMB-11"])),
        Attack(
            "BOMB-12", technique: "Pipe/socket/epoll kernel memory",
            Try("pipes without end", else: "the limit of descriptors") { script, _, policy in
                let limit = Int64(policy.limits.descriptors)
                return .atLeast(script.repeat("pipe2", times: limit, with: script.room(8), 0), limit)
            },
            Try("event queues without end", else: "the limit of descriptors") { script, _, policy in
                let limit = Int64(policy.limits.descriptors)
                return .atLeast(script.repeat("epoll_create1", times: limit + 8, with: 0), limit)
            },
            Try("timers in files without end", else: "the limit of descriptors") { script, _, policy in
                let limit = Int64(policy.limits.descriptors)
                return .atLeast(script.repeat("timerfd_create", times: limit + 8, with: 0, 0), limit)
            }),
        Attack("BOMB-13", technique: "fsync/dirty-page storm", .call("syncfs", with: -1, reaching: [9])),
        Attack(
            "BOMB-14", technique: "OOM picks the broker",
            trial: .drivenBy(["EndToEndTests/DemoTests: every attack of the demo is held"])),
        Attack(
            "BOMB-15", technique: "Zombie flood",
            Try("child processes that are never reaped", else: "the limit of processes") { script, _, policy in
                let limit = UInt64(policy.limits.processes)
                return .atLeast(script.conduct(.forks, with: .value(limit + 8)), Int64(limit))
            }),
        Attack(
            "BOMB-16", technique: "Deep-nested or hash-colliding payload",
            trial: .drivenBy(["AnnexModelTests/Codec/CodecTests: BOMB-16", "AnnexModelTests/Codec/StackTests: BOMB-16"])
        ),
        Attack(
            "BOMB-17", technique: "Throttled by memory.high looks like a hang",
            trial: .notApplicable("Annex does not set memory.high: the limit ends the process and does not slow it")),
    ]

    static let memory: [Attack] = [
        .driven("IPC-01", technique: "Double fetch", by: "AnnexChannelTests/DoubleFetchTests: IPC-01"),
        .driven("IPC-02", technique: "Truncate after map", by: "AnnexChannelTests/HandOverTests: IPC-02"),
        .driven("IPC-03", technique: "Grow after the size check", by: "AnnexChannelTests/HandOverTests: IPC-03"),
        .driven(
            "IPC-04", technique: "Write after hand-over", by: "AnnexChannelTests/HandOverTests: IPC-04"),
        .driven(
            "IPC-05", technique: "Ring index beyond size, offset+len overflow",
            by: "AnnexChannelTests/HostilePeerTests: IPC-05"),
        .driven(
            "IPC-06", technique: "Futex/lock held by dead peer",
            by: "AnnexChannelTests/HostilePeerTests: IPC-06", "AnnexChannelTests/OutcomeTests: IPC-06"),
        .driven(
            "IPC-07", technique: "Padding leaks host bytes",
            by: "AnnexModelTests/Codec/CodecTests: IPC-07"),
        .driven(
            "IPC-08", technique: "Reply to unknown/duplicate id, wrong type",
            by: "AnnexChannelTests/HostilePeerTests: IPC-08"),
        .driven(
            "IPC-09", technique: "NaN, NUL, bad UTF-8, huge ints in decode",
            by: "AnnexModelTests/Codec/CodecFuzzTests: IPC-09", "AnnexBundleTests/PropertyListTests: IPC-09"),
        Attack(
            "IPC-10", technique: "Empty message that looks like the peer's end, and more messages after it",
            addition: true,
            trial: .drivenBy([
                "AnnexChannelTests/HostilePeerTests: IPC-10",
                "AnnexPortalServerTests/Server/HostileMemberTests: IPC-10",
                "EndToEndTests/LifeTests: IPC-10",
            ])),
    ]

    static let lifetimes: [Attack] = [
        .driven(
            "LIFE-01", technique: "Broker SIGKILLed leaves orphans",
            by: "AnnexSandboxTests/Warden/LifelineTests: a host that is killed leaves nothing",
            "EndToEndTests/LifetimeTests: L4",
            "EndToEndTests/AccidentTests: L6"),
        Attack(
            "LIFE-02", technique: "Double fork + setsid",
            Try(
                "a child process in a session of its own survives", layers: .process, else: "the limit of processes"
            ) { script, _, _ in
                .outlives(script.conduct(.orphan, with: 4))
            }),
        .driven(
            "LIFE-03", technique: "Host *thread* that spawned ends",
            by: "EndToEndTests/LifeTests: LIFE-03"),
        .driven(
            "LIFE-04", technique: "Lifeline end kept by sibling",
            by: "AnnexSandboxTests/Warden/DescriptorsTests: LIFE-04"),
        .driven(
            "LIFE-05", technique: "Leaked cgroups/dirs", by: "EndToEndTests/LifetimeTests: LIFE-05"),
        .driven(
            "LIFE-06", technique: "Stop during start, double stop, re-entrancy",
            by: "AnnexChannelTests/OutcomeTests: LIFE-06", "EndToEndTests/LifeTests: LIFE-06",
            "AnnexSupervisionTests/Simulation/LifecycleSimulationTests: every life has one end"),
        .driven(
            "LIFE-07", technique: "Suspend/clock step", by: "AnnexLinuxTests/MonotonicClockTests: LIFE-07"
        ),
    ]
}
