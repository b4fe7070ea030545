internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks on the filter of system calls, and on the parts of the kernel behind it.
extension Catalogue {
    static let filters: [Attack] = [
        Attack(
            "SEC-01", technique: "x32 numbers",
            Try("getpid by its x32 number", else: "a kernel without x32") { script, _, _ in
                .succeeds(script.call(number: 0x4000_0027))
            }),
        Attack(
            "SEC-02", technique: "int 0x80",
            Try("getpid by the 32-bit gate", else: "a kernel without it") { script, _, _ in
                .succeeds(script.conduct(.foreignGate, with: 20))
            }),
        Attack(
            "SEC-03", technique: "Exec of a 32-bit ELF",
            Try(
                "execute a 32-bit program in its own memory", else: "a kernel without 32-bit programs"
            ) { script, _, _ in
                script.executeMemory(TrialPrograms.foreign)
                return .runsAgain
            }),
        Attack(
            "SEC-04", technique: "Unknown/newer number",
            Try("number 900", else: "there is no such call") { script, _, _ in .succeeds(script.call(number: 900)) },
            Try("mseal, newer than libseccomp") { script, _, _ in .succeeds(script.call(number: 462)) }),
        Attack(
            "SEC-05", technique: "Pointer TOCTOU under user_notif",
            trial: .drivenBy(["AnnexAttacksTests/RaceTests: SEC-05"])),
        Attack(
            "SEC-06", technique: "io_uring runs operations unfiltered",
            .call("io_uring_setup", with: 0, 0, reaching: [Number.badAddress, Number.invalid]),
            .call("io_uring_enter", with: -1, 0, 0, 0, 0, 0, reaching: [Number.badDescriptor, Number.invalid]),
            .call("io_uring_register", with: -1, 9, 0, 0, reaching: [Number.badDescriptor, Number.invalid])),
        Attack(
            "SEC-07", technique: "Thread started before filter",
            trial: .drivenBy(["AnnexSandboxTests/Warden/FilterTests: the listener arrives before the program runs"])),
        Attack(
            "SEC-08", technique: "Own filter answering fake results",
            Try("a filter of its own", needs: [.layer(.noNewPrivileges)]) { script, _, _ in
                .reaches(script.call("seccomp", with: 1, 0, 0), [Number.badAddress], absent: [])
            }),
        Attack(
            "SEC-09", technique: "SIGSYS handler probes forever under TRAP",
            Try("more denied calls than the limit", needs: [.layer([.seccomp, .listener])]) { script, _, policy in
                .survives(script.probe(number: 900, Int64(policy.limits.denials) + 1000))
            }),
        Attack(
            "SEC-10", technique: "Missing restart_syscall/rt_sigreturn/exit_group breaks honest code",
            trial: .drivenBy(["AnnexAttacksTests/CatalogueTests: SEC-10"])),
        Attack(
            "SEC-11", technique: "personality READ_IMPLIES_EXEC / no-ASLR",
            .call("personality", with: 0x40_0000), .call("personality", with: 0x4_0000, grantable: true)),
        Attack(
            "SEC-12", technique: "prctl (SET_MM, SYSCALL_USER_DISPATCH, SET_PTRACER, DUMPABLE), arch_prctl, modify_ldt",
            .call("prctl", with: 35, 15, 0, 0, 0, reaching: [Number.invalid]), .call("prctl", with: 59, 0, 0, 0, 0),
            .call("prctl", with: 0x5961_6d61, -1, 0, 0, 0, absent: [Number.invalid]),
            .call("prctl", with: 4, 1, 0, 0, 0),
            .call("arch_prctl", with: 0x1001, 0), .call("modify_ldt", with: 0, 0, 0)),
        Attack(
            "SEC-13", technique: "Compiler bug weakens the filter",
            trial: .drivenBy(["AnnexPolicyTests/FilterEquivalenceTests: SEC-13"])),
        Attack(
            "SEC-14", technique: "uretprobe and uprobe, which no filter sees on some kernels",
            addition: true,
            Try("uretprobe", else: "SIGILL outside of a probe") { script, _, _ in
                .succeeds(script.call(number: 335))
            },
            Try("uprobe", else: "SIGILL outside of a probe") { script, _, _ in .succeeds(script.call(number: 336)) }),
        Attack(
            "SEC-15", technique: "Landlock nested until the kernel's bound", addition: true,
            Try("a ruleset of its own", needs: [.layer(.noNewPrivileges)]) { script, _, _ in
                let rights = script.words([1])
                let rules = script.call(number: 444, [rights, 8, 0])
                return .succeeds(script.call(number: 446, [.result(rules), 0], after: rules))
            }),
        Attack(
            "SEC-16", technique: "PR_SET_MDWE and other promises that bind later", addition: true,
            .call("prctl", with: 65, 1, 0, 0, 0, absent: [Number.invalid])),
    ]

    static let kernel: [Attack] = [
        Attack(
            "KERN-01", technique: "keyctl, add_key, request_key (cross-namespace keyrings)",
            .call("keyctl", with: 999, 0, 0, 0, 0, reaching: [Number.unsupported]),
            .call("add_key", with: 0, 0, 0, 0, 0, reaching: [Number.badAddress]),
            .call("request_key", with: 0, 0, 0, 0, reaching: [Number.badAddress])),
        Attack(
            "KERN-02", technique: "bpf",
            .call("bpf", with: 9999, 0, 0, reaching: [Number.invalid, Number.tooBig, Number.badAddress])),
        Attack(
            "KERN-03", technique: "perf_event_open",
            .call("perf_event_open", with: 0, 0, -1, -1, 0, reaching: [Number.badAddress])),
        Attack(
            "KERN-04", technique: "userfaultfd and /dev/userfaultfd",
            .call("userfaultfd", with: 0x8001, reaching: [Number.invalid]),
            .open("/dev/userfaultfd", flags: Flags.readWrite)),
        Attack(
            "KERN-05", technique: "vmsplice/splice/tee",
            .call("vmsplice", with: -1, 0, 1, 0, reaching: [Number.badDescriptor]),
            .call("splice", with: -1, 0, -1, 0, 1, 0, reaching: [Number.badDescriptor]),
            .call("tee", with: -1, -1, 1, 0, reaching: [Number.badDescriptor])),
        Attack(
            "KERN-06", technique: "Modules, kexec, reboot, swapon, acct, quotactl",
            .call("init_module", with: 0, 0, 0, reaching: [Number.badAddress]),
            .call("finit_module", with: -1, 0, 0, reaching: [9]),
            .call("delete_module", with: 0, 0, reaching: [Number.badAddress]), .call("kexec_load", with: 0, 99, 0, 0),
            .call("reboot", with: 0, 0, 0, 0, reaching: [Number.invalid]),
            .call("swapon", with: 0, 0, reaching: [Number.badAddress]),
            Try("acct") { script, _, _ in
                .reaches(script.call("acct", with: script.text("/nonexistent/annex")), [Number.noSuchFile], absent: [])
            },
            .call("quotactl", with: 0xffff, 0, 0, 0, reaching: [Number.invalid])),
        Attack(
            "KERN-07", technique: "settimeofday, adjtimex(write), clock_settime",
            .call("settimeofday", with: 0, 0), .call("adjtimex", with: 0, reaching: [Number.badAddress]),
            .call("clock_settime", with: 0, 0, reaching: [Number.badAddress])),
        Attack(
            "KERN-08", technique: "mbind, move_pages, set_mempolicy",
            .call("mbind", with: 0, 0, 0xffff, 0, 0, 0, reaching: [Number.invalid]),
            .call("move_pages", with: 0, 0, 0, 0, 0, 0),
            .call("set_mempolicy", with: 0xffff, 0, 0, reaching: [Number.invalid])),
        Attack(
            "KERN-09",
            technique: "Socket families ALG, VSOCK, PACKET, NETLINK (nftables), XDP, KEY, TIPC, BLUETOOTH, CAN",
            trial: .tries(families)),
        Attack(
            "KERN-10", technique: "timer_create / POSIX mq / futex-PI bombs",
            Try("timers without end", else: "the limit of pending signals") { script, _, _ in
                .atLeast(script.repeat("timer_create", times: 1000, with: 0, 0, script.room(8)), 66)
            },
            Try(
                "a lock with priority inheritance", grant: { $0.grantingLine(call: "futex", [.address(0), 6]) }
            ) { script, _, _ in
                .succeeds(script.call("futex", with: script.room(8), 6, 0, 0, 0, 0))
            },
            Try(
                "FUTEX_CMP_REQUEUE on a shared word", grant: { $0.grantingLine(call: "futex", [.address(0), 4]) }
            ) { script, _, _ in
                let word = script.room(8)
                return .succeeds(script.call("futex", with: word, 4, 0, 0, word.advanced(by: 4), 0))
            }),
        Attack(
            "KERN-11", technique: "Device ioctls (FIONREAD aside)",
            Try("RNDGETENTCNT", layers: [.root, .landlock]) { script, _, _ in
                let file = script.call("openat", with: .here, script.text("/dev/urandom"), 0, 0)
                return .succeeds(script.call("ioctl", with: .result(file), 0x8004_5200, script.room(8), after: file))
            }),
        Attack(
            "KERN-12", technique: "GPU node",
            .open("/dev/dri/renderD128", flags: Flags.readWrite)),
        Attack(
            "KERN-13",
            technique:
                "Calls newer than the policy: cachestat, map_shadow_stack, lsm_*, mseal, futex2, process_mrelease",
            addition: true,
            Try("cachestat") { script, _, _ in
                .reaches(script.call(number: 451, [-1, 0, 0, 0]), [9], absent: [])
            },
            Try("map_shadow_stack") { script, _, _ in
                .reaches(script.call(number: 453, [0, 0, 99]), [Number.invalid], absent: [Number.unsupported])
            },
            Try("lsm_list_modules") { script, _, _ in
                .reaches(script.call(number: 461, [script.room(64), 0, 99]), [Number.invalid, 14], absent: [])
            },
            Try("process_mrelease") { script, _, _ in .reaches(script.call(number: 448, [-1, 0]), [9], absent: []) },
            Try("futex_wake") { script, _, _ in
                .reaches(script.call(number: 454, [0, 0, 0, 0xff]), [Number.invalid], absent: [])
            }),
        Attack(
            "KERN-14", technique: "Hidden and pinned memory: memfd_secret, mlock, MAP_GROWSDOWN, MAP_LOCKED",
            addition: true,
            .call("memfd_secret", with: 0xffff, reaching: [Number.invalid]),
            Try("mlock", else: "the limit of locked memory") { script, _, _ in
                let pages = script.call("mmap", with: 0, 0x10_0000, 3, 0x22, -1, 0)
                return .succeeds(script.call("mlock", with: .result(pages), 0x10_0000, after: pages))
            },
            Try(
                "shared memory without a file", grant: { $0.grantingLine(call: "mmap", [0, 4096, 3, 0x21, -1, 0]) }
            ) { script, _, _ in
                .succeeds(script.call("mmap", with: 0, 4096, 3, 0x21, -1, 0))
            }),
        Attack(
            "KERN-15", technique: "Memory that becomes executable", addition: true,
            .call("mmap", with: 0, 4096, 7, 0x22, -1, 0, grantable: true),
            Try("written, then executable", grant: { $0.grantingLine(call: "mprotect", [0, 4096, 5]) }) {
                script, _, _ in
                let page = script.call("mmap", with: 0, 4096, 3, 0x22, -1, 0)
                return .succeeds(script.call("mprotect", with: .result(page), 4096, 5, after: page))
            }),
        Attack(
            "KERN-16", technique: "Raising its own limits and priority", addition: true,
            Try("a higher limit of processes", else: "hard limits") { script, _, _ in
                .succeeds(script.call("prlimit64", with: 0, 6, script.words([.value(.max), .value(.max)]), 0))
            },
            Try("a higher priority", else: "an ordinary user's rights") { script, _, _ in
                .succeeds(script.call("setpriority", with: 0, 0, -5))
            }),
    ]

    private static let families: [Try] = [
        ("ALG", 38, 5, 0), ("VSOCK", 40, 1, 0), ("PACKET", 17, 3, 0), ("NETLINK", 16, 3, 12), ("XDP", 44, 3, 0),
        ("KEY", 15, 3, 2), ("TIPC", 30, 5, 0), ("BLUETOOTH", 31, 3, 1), ("CAN", 29, 3, 1),
    ].map { name, domain, kind, protocolNumber in
        Try("AF_\(name)") { script, _, _ in
            let step = script.call(
                "socket", with: .number(Int64(domain)), .number(Int64(kind)), .number(Int64(protocolNumber)))
            return .reaches(step, [], absent: [Number.noFamily, Number.noProtocol, Number.noSocketType])
        }
    }
}
