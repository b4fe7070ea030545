internal import AnnexLaunch
internal import AnnexPolicy

/// Attacks on `/proc`, on other processes and on the terminal.
extension Catalogue {
    static let processFiles: [Attack] = [
        Attack(
            "PROC-01", technique: "core_pattern, modprobe, sysctl writes",
            .open("/proc/sys/kernel/core_pattern", flags: Flags.writeOnly),
            .open("/proc/sys/kernel/modprobe", flags: Flags.writeOnly)),
        Attack(
            "PROC-02", technique: "sysrq-trigger, irq, bus", .open("/proc/sysrq-trigger", flags: Flags.writeOnly),
            .open("/proc/irq/default_smp_affinity", flags: Flags.writeOnly)),
        Attack(
            "PROC-03", technique: "/proc/PID/{root,cwd,fd,mem,environ} of host",
            .onHostProcess("the host's own status", layers: [.root, .landlock]) { script, process, _ in
                .tells(script.readFile("/proc/\(process)/status"), Array("Name:".utf8))
            },
            .onHostProcess("the host's working directory", layers: [.root, .user, .landlock]) { script, process, _ in
                let path = script.text("/proc/\(process)/cwd")
                return .succeeds(script.call("readlinkat", with: .here, path, script.room(256), 256))
            },
            .onHostProcess("the host's environment", layers: [.root, .user, .landlock]) { script, process, _ in
                .succeeds(script.read("/proc/\(process)/environ", count: 64))
            }),
        Attack("PROC-04", technique: "pid 1 (reaper) memory/environ", .open("/proc/1/mem", flags: Flags.readWrite)),
        Attack(
            "PROC-05", technique: "/proc/self/mem defeats W^X",
            .open("/proc/self/mem", flags: Flags.readWrite)),
        Attack(
            "PROC-06", technique: "kcore, kallsyms, kmsg, keys, timer_list, sched_debug",
            .open("/proc/kallsyms", layers: [.root, .landlock]), .open("/proc/keys", layers: [.root, .landlock]),
            .open("/proc/kcore", layers: [.root, .landlock]), .open("/proc/kmsg", layers: [.root, .landlock]),
            .open("/proc/timer_list", layers: [.root, .landlock]), .open("/sys/kernel/debug/sched/debug")),
        Attack(
            "PROC-07", technique: "mountinfo/cgroup/cmdline leak home paths",
            Try("the host's control group", layers: .controlGroup, withoutProcessFiles: [.root, .landlock]) {
                script, _, _ in
                .tells(script.readFile("/proc/self/cgroup"), Array("annex.".utf8))
            },
            .onHostProcess("the host's command line", layers: [.root, .landlock]) { script, process, _ in
                .succeeds(script.read("/proc/\(process)/cmdline", count: 64))
            },
            Try(
                "where its bundle is on the host, in mountinfo", withoutProcessFiles: [.root, .landlock],
                needs: [.layer([.root, .processFiles])],
                grant: { $0.grantingLine(path: "/proc/self/mountinfo", rights: .read) }
            ) { script, canaries, _ in
                .tellsInAll(script.readWhole("/proc/self/mountinfo"), Array(canaries.bundleFolder.utf8))
            },
            Try("the same in maps", layers: [.root, .landlock]) { script, canaries, _ in
                .tellsInAll(script.readWhole("/proc/self/maps"), Array(canaries.bundleFolder.utf8))
            }),
        Attack(
            "PROC-08", technique: "uid_map/setgroups rewrite",
            Try("a second line of uid_map", else: "the map is written once") { script, _, _ in
                let file = script.call("openat", with: .here, script.text("/proc/self/uid_map"), 1, 0)
                return .succeeds(script.call("write", with: .result(file), script.text("0 0 1"), 5, after: file))
            }),
        Attack(
            "PROC-09", technique: "release_agent, cgroup mkdir",
            .open("/sys/fs/cgroup/release_agent", flags: Flags.writeOnly),
            .open("/sys/fs/cgroup/cgroup.procs", flags: Flags.writeOnly)),
        Attack(
            "PROC-10", technique: "Reopen ro fd as rw by /proc/self/fd",
            Try("a file that it may read, for writing", layers: .landlock, withoutProcessFiles: .root) { script, _, _ in
                .succeeds(script.call("openat", with: .here, script.text("/proc/self/fd/\(Canaries.gift)"), 2, 0))
            },
            Try("write to its sealed request", else: "seals") { script, _, _ in
                let file = script.call("openat", with: .here, script.text("/proc/self/fd/3"), 2, 0)
                return .succeeds(script.call("write", with: .result(file), script.text("x"), 1, after: file))
            }),
        Attack(
            "PROC-11", technique: "Code in a memory file that stays writable",
            addition: true,
            Try("map it as code", else: "no memory file") { script, _, _ in
                let file = script.call("memfd_create", with: script.text("code"), 1)
                let grown = script.call("ftruncate", with: .result(file), 4096, after: file)
                return .succeeds(script.call("mmap", with: 0, 4096, 5, 1, .result(file), 0, after: grown))
            }),
        Attack(
            "PROC-12", technique: "A writable stack or segment that the ELF header makes executable",
            addition: true, trial: .drivenBy(["AnnexSandboxTests/Programs/WritableCodeTests: PROC-12"])),
        Attack(
            "PROC-13", technique: "Writing to the kernel's files where `--allow proc` shows them", addition: true,
            trial: .drivenBy(["EndToEndTests/RunHintTests: PROC-13"])),
    ]

    static let signals: [Attack] = [
        Attack(
            "SIG-01", technique: "Signal host",
            .onHostProcess("kill", layers: [.process, .landlock], needs: [.landlock(6)]) { script, process, _ in
                .succeeds(script.call("kill", with: .number(process), 0))
            },
            .onHostProcess("pidfd_open", layers: .process) { script, process, _ in
                .succeeds(script.call("pidfd_open", with: .number(process), 0))
            }),
        Attack(
            "SIG-02", technique: "ptrace reaper/sibling",
            Try("PTRACE_TRACEME", grant: { $0.grantingLine(call: "ptrace") }) { script, _, _ in
                .succeeds(script.call("ptrace", with: 0, 0, 0, 0))
            },
            .onHostProcess("the host's memory", layers: [.user, .process, .landlock]) { script, process, _ in
                let piece = script.words([0x1000, 8])
                return .reaches(
                    script.call(
                        "process_vm_readv", with: .number(process), script.words([.address(0), 8]), 1,
                        piece, 1, 0), [Number.badAddress], absent: [])
            }),
        Attack(
            "SIG-03", technique: "Ignore SIGTERM",
            trial: .drivenBy([
                "AnnexSupervisionTests/LifecycleTests: L5", "EndToEndTests/LifeTests: L5",
                "EndToEndTests/AccidentTests: L6",
            ])),
        Attack(
            "SIG-04", technique: "SIGSTOP itself",
            trial: .drivenBy(["EndToEndTests/LifeTests: SIG-04", "AnnexSandboxTests/Warden/LifelineTests: SIG-04"])),
        Attack(
            // The live test stops the warden instead, because no test can create a process that no signal reaches.
            "SIG-05", technique: "Unkillable (D-state) child",
            trial: .drivenBy(["AnnexSupervisionTests/LifecycleTests: SIG-05", "EndToEndTests/AccidentTests: L6"])),
        Attack(
            "SIG-06", technique: "Pid reuse on kill", trial: .drivenBy(["AnnexLinuxTests/ProcessHandleTests: SIG-06"])),
        Attack(
            "SIG-07", technique: "Crash loop",
            trial: .drivenBy(["AnnexBrokerTests/LaunchBackoffTests: SIG-07", "EndToEndTests/LifeTests: SIG-07"])),
        Attack(
            "SIG-08", technique: "Advice about another process's memory", addition: true,
            .onHostProcess("process_madvise", else: "no descriptor of a stranger") { script, process, _ in
                let process = script.call("pidfd_open", with: .number(process), 0)
                return .succeeds(
                    script.call(
                        "process_madvise", with: .result(process), script.words([.address(0), 8]), 1, 20, 0,
                        after: process))
            }),
        Attack(
            "SIG-09", technique: "Another process's descriptors by pidfd_getfd", addition: true,
            .onHostProcess("the host's standard output", layers: [.user, .process, .landlock]) { script, process, _ in
                let process = script.call("pidfd_open", with: .number(process), 0)
                return .succeeds(script.call("pidfd_getfd", with: .result(process), 1, 0, after: process))
            }),
        Attack(
            "SIG-10", technique: "A timer that wakes it by SIGCONT while its supervisor is stopped (Ctrl-Z)",
            addition: true,
            trial: .drivenBy(["EndToEndTests/RunWaitingTests: TTY-04"])),
    ]

    static let terminal: [Attack] = [
        Attack(
            "TTY-01", technique: "TIOCSTI",
            Try("into its input", else: "no terminal") { script, _, _ in
                .succeeds(script.call("ioctl", with: 0, 0x5412, script.text("x")))
            },
            Try("with a high half (CVE-2019-10063)", else: "no terminal") { script, _, _ in
                .succeeds(script.call("ioctl", with: 1, .value(0x1_0000_5412), script.text("x")))
            }),
        Attack(
            "TTY-02", technique: "TIOCLINUX paste (CVE-2023-28100)",
            Try("into its output", else: "no terminal") { script, _, _ in
                .succeeds(script.call("ioctl", with: 1, 0x541C, script.text("\u{3}")))
            }),
        Attack(
            "TTY-03", technique: "ANSI escapes / fake log lines in output",
            trial: .drivenBy(["AnnexLinuxTests/EscapedTests: TTY-03", "AnnexBundleTests/HostileBundleTests: TTY-03"])),
        Attack(
            "TTY-04", technique: "SIGTTOU/SIGHUP games",
            .open("/dev/tty", flags: Flags.readWrite, else: "a session without a terminal")),
    ]
}
