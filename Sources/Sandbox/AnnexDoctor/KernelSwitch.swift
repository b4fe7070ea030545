internal import AnnexLaunch

/// One sysctl that limits sandboxes, and the meaning of its values.
struct KernelSwitch: Sendable {
    let name: String
    /// The problem with a value; nil if there is no problem.
    let check: @Sendable (String) -> Problem?

    struct Problem: Sendable, Hashable {
        let level: Finding.Level
        let meaning: String
        let remedy: String?
    }

    private init(_ name: String, _ check: @escaping @Sendable (String) -> Problem?) {
        self.name = name
        self.check = check
    }

    var path: String { "/proc/sys/" + name.split(separator: ".").joined(separator: "/") }

    /// The values of the sysctls that exist on this machine, by name.
    static func read() -> [String: String] {
        var values: [String: String] = [:]
        for one in all {
            guard let text = TextFile.read(one.path) else { continue }
            values[one.name] = String(text.prefix { $0 != "\n" })
        }
        return values
    }

    func finding(_ value: String) -> Finding {
        let problem = check(value)
        return Finding(
            name, topic: .switches, title: name, level: problem?.level ?? .works, seen: "\(path): \(value)",
            meaning: problem?.meaning, remedy: problem?.remedy)
    }

    private static func command(_ setting: String) -> String { "sudo sysctl -w \(setting)" }

    /// A sysctl whose value is a count and must be at least `least`.
    private static func atLeast(_ name: String, count least: UInt64, level: Finding.Level, meaning: String)
        -> KernelSwitch
    {
        KernelSwitch(name) { value in
            guard let number = UInt64(value), number < least else { return nil }
            let worst = number == 0 ? Finding.Level.missing : level
            return Problem(level: worst, meaning: meaning, remedy: command("\(name)=10000"))
        }
    }

    private static func namespaces(_ kind: String) -> KernelSwitch {
        atLeast(
            "user.max_\(kind)_namespaces", count: 16, level: .weaker,
            meaning: "each running sandbox needs one such namespace, and few can be made here")
    }

    static let all: [KernelSwitch] =
        ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"].map(namespaces) + [
            KernelSwitch("kernel.unprivileged_userns_clone") { value in
                value != "0"
                    ? nil
                    : Problem(
                        level: .missing, meaning: "only root may make user namespaces",
                        remedy: command("kernel.unprivileged_userns_clone=1"))
            },
            KernelSwitch("kernel.apparmor_restrict_unprivileged_userns") { value in
                value != "1"
                    ? nil
                    : Problem(
                        level: .note,
                        meaning: "AppArmor lets only programs with a profile use user namespaces (Ubuntu's default)",
                        remedy: AppArmorProfile.installation)
            },
            KernelSwitch("vm.memfd_noexec") { value in
                value != "2"
                    ? nil
                    : Problem(
                        level: .note, meaning: "no program can be started from memory: the warden must be installed",
                        remedy: command("vm.memfd_noexec=1"))
            },
            KernelSwitch("kernel.yama.ptrace_scope") { value in
                value != "3"
                    ? nil
                    : Problem(
                        level: .missing, meaning: "the warden cannot fetch the listener for denied calls",
                        remedy: command("kernel.yama.ptrace_scope=2") + "  (from 3 it takes a reboot)")
            },
            KernelSwitch("kernel.core_pattern") { value in
                value.hasPrefix("|")
                    ? Problem(
                        level: .note, meaning: "crashes go to a program of the host, but not the crashes of sandboxes",
                        remedy: nil) : nil
            },
            KernelSwitch("vm.overcommit_memory") { value in
                value != "2"
                    ? nil
                    : Problem(
                        level: .note,
                        meaning: "reserved memory counts before it is used, so memory limits are reached earlier",
                        remedy: nil)
            },
            KernelSwitch("kernel.io_uring_disabled") { _ in nil },
            atLeast(
                "kernel.keys.maxkeys", count: 20, level: .weaker,
                meaning: "the warden takes one session keyring from the user's quota of keys"
            ),
            atLeast("kernel.pid_max", count: 4096, level: .weaker, meaning: "few processes can exist at the same time"),
        ]
}
