internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks by objects that the kernel keeps for a program.
extension Catalogue {
    /// Objects that the kernel keeps for a program in addition to its memory. The host measures these objects while the
    /// program holds them. The host allows an increase of at most 2 MiB. Objects that count against the memory limit
    /// may also use the memory up to that limit.
    static let objects: [Attack] = [
        Attack(
            "KOBJ-01", technique: "Record locks without end: kernel memory that no limit counts", addition: true,
            locks("one-byte locks of a process on a file that it may read") { script in
                script.conduct(.locks, with: .number(Canaries.gift), 6, 10_000)
            },
            locks("the same locks by threads with their own descriptor tables") { script in
                // This try takes more locks than allowed. The kernel compares each lock with all other locks, so ten
                // times as many locks would take minutes.
                script.conduct(.lockTables, with: .number(Canaries.gift), 6, 4)
            }),
        Attack(
            "KOBJ-02", technique: "The same with locks of the open file description", addition: true,
            locks("one-byte locks of an open file description") { script in
                script.conduct(.locks, with: .number(Canaries.gift), 37, 10_000)
            }),
        Attack(
            "KOBJ-03", technique: "Page tables for addresses without memory behind them", addition: true,
            Try(
                "a read in every 2 MiB of untouched memory", else: "the limit of memory",
                measure: Measure("KiB of page tables", of: 1_024, within: .memoryLimit) { scene in
                    KernelCounts.kibibytes("VmPTE", of: scene.process)
                }
            ) { script, _, policy in
                // A gibibyte of addresses needs 2 MiB of tables.
                let gibibytes = (policy.limits.memory + Measure.Allowance.always) >> 21 + 16
                return .measured(script.conduct(.tables, with: .value(gibibytes)))
            }),
        Attack(
            "KOBJ-04", technique: "The machine's pool of huge pages", addition: true,
            // ENOMEM counts as a success of the attack. It means that every layer let the call reach the pool of huge
            // pages, and that the pool was empty.
            .call(
                "mmap", with: 0, 0x20_0000, 1, 0x40022, -1, 0, reaching: [Number.noMemory], absent: [Number.invalid]),
            .call("mmap", with: 0, 0x20_0000, 3, 0x40021, -1, 0, reaching: [Number.noMemory], absent: [Number.invalid])),
        Attack(
            "KOBJ-05", technique: "Memory beyond its limit, swapped out", addition: true,
            Try(
                "more memory than the limit", else: "the limit of memory", needs: [.swap],
                measure: Measure("KiB swapped out", of: 1_024, within: .memoryLimit) { scene in
                    KernelCounts.kibibytes("VmSwap", of: scene.process)
                }
            ) { script, _, policy in
                .measured(script.conduct(.touch, with: .value(policy.limits.memory >> 20 + 64)))
            }),
        Attack(
            "KOBJ-06", technique: "Unreceived descriptors in flight: no other program of the user can send one",
            addition: true,
            Try(
                "copies in unread sockets", else: "the limit of descriptors",
                measure: Measure(
                    "descriptors under way", of: 256,
                    within: .memoryLimitOfGroup(granting: "socketpair", [1, 1, 0, 0]),
                    neighbour: sendsDescriptor)
            ) { script, _, policy in
                let pairs = UInt64(max(1, policy.limits.descriptors / 2))
                return .measured(script.conduct(.flights, with: .value(pairs), .number(Canaries.gift)))
            }),
        Attack(
            "KOBJ-07", technique: "Watches of event queues, of which each user has a limited number", addition: true,
            Try(
                "every queue watches every descriptor", else: "the limit of descriptors",
                measure: Measure(
                    "watches", of: 208, within: .memoryLimitOfGroup(granting: "epoll_ctl", []), neighbour: watches)
            ) { script, _, policy in
                .measured(script.conduct(.watches, with: .value(UInt64(max(2, policy.limits.descriptors) / 2))))
            }),
        Attack(
            "KOBJ-08", technique: "Pages of pipes: past the user's share, all new pipes of the user are small",
            addition: true,
            Try(
                "pipes of the largest size", else: "the limit of descriptors",
                measure: Measure(
                    "pages of pipes", of: 4_096, within: .memoryLimitOfGroup(granting: "pipe2", []), neighbour: pipes)
            ) { script, _, policy in
                let pipes = UInt64(max(2, policy.limits.descriptors) / 2)
                return .measured(script.conduct(.pipes, with: .value(pipes), 0x10_0000))
            }),
        Attack(
            "KOBJ-09", technique: "Queued signals, of which each user has a limited number", addition: true,
            Try(
                "queue a blocked signal repeatedly", else: "the limit of queued signals",
                measure: Measure("signals", of: 160, neighbour: queuesSignal)
            ) { script, _, _ in .measured(script.conduct(.signals, with: 100_000)) }),
        Attack(
            "KOBJ-10", technique: "Timers without end", addition: true,
            Try(
                "timers of a process", else: "the limit of queued signals",
                measure: Measure("timers", of: 512, neighbour: makesTimer)
            ) { script, _, _ in
                .measured(script.repeat("timer_create", times: 50_000, with: 1, 0, script.room(8)))
            }),
        Attack(
            "KOBJ-11", technique: "Buffers of unread sockets", addition: true,
            Try(
                "full sockets", else: "the limit of descriptors",
                measure: Measure(
                    "KiB in sockets", of: 1_024, within: .memoryLimitOfGroup(granting: "socketpair", [1, 1, 0, 0]))
            ) { script, _, policy in
                let pairs = min(UInt64(max(2, policy.limits.descriptors) / 2), 400)
                return .measured(script.conduct(.buffers, with: .value(pairs)))
            }),
        Attack(
            "KOBJ-12", technique: "Segments, semaphores and message queues, which outlive their creator",
            addition: true,
            queue("a segment", made: "shmget", arguments: [0, 4096, 0o1600], removed: "shmctl", rest: [0, 0]),
            queue("semaphores", made: "semget", arguments: [0, 1, 0o1600], removed: "semctl", rest: [0, 0]),
            queue("a queue of messages", made: "msgget", arguments: [0, 0o1600], removed: "msgctl", rest: [0, 0])),
        Attack(
            "KOBJ-13", technique: "Keys, of which each user has a limited number", addition: true,
            Try("a key of its own", else: "no share of keys") { script, _, _ in
                let (kind, name) = (script.text("user"), script.text("annex-trial"))
                return .succeeds(script.call("add_key", with: kind, name, name, 11, -2))
            }),
    ]

    private static func locks(
        _ name: String, by take: @escaping @Sendable (inout TrialScript) -> Int
    ) -> Try {
        Try(
            name, else: "a budget of locks",
            // The kernel's list is not a snapshot. While other processes lock and unlock, a reader misses some locks.
            measure: Measure("locks", of: 256) { scene in
                KernelCounts.locks(on: scene.canaries.writable).map { max($0, scene.reported) }
            }
        ) { script, _, _ in
            .measured(take(&script))
        }
    }

    /// Creates an object and removes it again. If no layer stops the try, the object belongs to the host.
    private static func queue(
        _ name: String, made make: String, arguments: [TrialArgument], removed remove: String, rest: [TrialArgument]
    ) -> Try {
        Try(name, else: "no such thing", grant: { $0.grantingLine(call: make, arguments) }) { script, _, _ in
            let step = script.call(number: SystemCall(named: make)?.number ?? -1, arguments)
            script.call(number: SystemCall(named: remove)?.number ?? -1, [.result(step)] + rest, after: step)
            return .succeeds(step)
        }
    }

    // MARK: Actions that must still be possible for another program of the same user

    @Sendable private static func sendsDescriptor(_ script: inout TrialScript) -> Proof {
        let ends = script.room(8)
        script.call("socketpair", with: 1, 1, 0, ends)
        // A message of one byte that carries descriptor 4. The program sends its answers through this descriptor.
        let control = script.bytes([20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0])
        let buffers = script.words([script.room(1), 1])
        let message = script.words([0, 0, buffers, 1, control, 20, 0])
        // 5 is the first descriptor of the pair. It is the lowest free number, because the program starts with the
        // descriptors 0 to 4.
        return .succeeds(script.call("sendmsg", with: 5, message, 0))
    }

    @Sendable private static func watches(_ script: inout TrialScript) -> Proof {
        let queue = script.call("epoll_create1", with: 0)
        let counter = script.call("eventfd2", with: 0, 0)
        return .succeeds(script.call("epoll_ctl", with: .result(queue), 1, .result(counter), script.words([1, 0])))
    }

    @Sendable private static func pipes(_ script: inout TrialScript) -> Proof {
        script.call("pipe2", with: script.room(8), 0)
        return .atLeast(script.call("fcntl", with: 5, 1032), 65_536)
    }

    @Sendable private static func queuesSignal(_ script: inout TrialScript) -> Proof {
        .atLeast(script.conduct(.signals, with: 1), 1)
    }

    @Sendable private static func makesTimer(_ script: inout TrialScript) -> Proof {
        .succeeds(script.call("timer_create", with: 1, 0, script.room(8)))
    }
}
