internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc

/// The environment of this program: a container, a foreign seccomp filter, security modules. The environment is read
/// once. Every parser takes text as its argument, so that tests can describe other machines.
package struct Surroundings: Sendable {
    var container = Container.none
    /// Whether `Seccomp:` in `/proc/self/status` is 2, which means that a filter is already in force.
    var hasFilter = false
    /// The names of the active security modules; nil if the list cannot be read.
    var modules: [String]?
    /// The text of `/proc/self/attr/current`, for example `unconfined` or `docker-default (enforce)`.
    var profile: String?
    /// The value of `/sys/fs/selinux/enforce`.
    var isSELinuxEnforcing: Bool?
    /// The values of the sysctls that exist on this machine, by name.
    var switches: [String: String] = [:]
    /// The mounts that cover parts of `/proc`.
    var masks: [String] = []
    /// The option of `/proc` that hides other processes from this process; nil if no processes are hidden.
    var hiding: String?
    /// The user numbers that exist in this user namespace.
    var users = IdentityMap(text: "0 0 4294967295")

    static func ofThisProcess() -> Surroundings {
        let status = TextFile.read("/proc/self/status") ?? ""
        return Surroundings(
            container: Container.find(), hasFilter: filterMode(in: status) == 2,
            modules: TextFile.read("/sys/kernel/security/lsm").map(modules),
            profile: TextFile.read("/proc/self/attr/current").map(firstLine),
            isSELinuxEnforcing: TextFile.read("/sys/fs/selinux/enforce").map { firstLine($0) == "1" },
            switches: KernelSwitch.read(), masks: masks(in: TextFile.read("/proc/self/mountinfo") ?? ""),
            hiding: HiddenProcesses.option, users: IdentityMap(text: TextFile.read("/proc/self/uid_map") ?? ""))
    }

    /// The seccomp mode in the text: 0 none, 1 strict, 2 a filter. nil if the kernel does not state it.
    static func filterMode(in status: String) -> Int? {
        for line in status.split(separator: "\n") where line.hasPrefix("Seccomp:") {
            return Int(line.dropFirst(8).drop { $0 == "\t" || $0 == " " })
        }
        return nil
    }

    static func modules(in text: String) -> [String] {
        firstLine(text).split(separator: ",").map(String.init)
    }

    /// The mounts beneath `/proc` in the text of a `mountinfo` file. Containers use these mounts to cover parts of
    /// `/proc`.
    static func masks(in mountinfo: String) -> [String] {
        mountinfo.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            // Many machines mount the file system for registering binary formats at this path. This mount is not
            // counted.
            guard fields.count > 4, fields[4].hasPrefix("/proc/"), fields[4] != "/proc/sys/fs/binfmt_misc" else {
                return nil
            }
            return String(fields[4])
        }
    }

    private static func firstLine(_ text: String) -> String {
        String(text.prefix { $0 != "\n" && $0 != "\0" })
    }
}

extension Surroundings {
    /// The findings about everything that was read.
    var findings: [Finding] {
        [containerFinding, filterFinding, procFinding, hidingFinding] + moduleFindings
            + KernelSwitch.all.compactMap { one in switches[one.name].map { one.finding($0) } }
    }

    private var containerFinding: Finding {
        Finding(
            "container", topic: .surroundings, title: "container around this program",
            level: container == .none ? .works : .note,
            seen: container == .none ? "no sign of one" : container.rawValue,
            meaning: container == .none ? nil : "sandboxes inside it cannot use the features that it forbids")
    }

    private var filterFinding: Finding {
        Finding(
            "seccomp-in-force", topic: .surroundings, title: "seccomp filter already in force",
            level: hasFilter ? .note : .works,
            seen: "/proc/self/status: Seccomp: \(hasFilter ? "2" : "0")",
            meaning: hasFilter ? "it denies calls to Annex too; the trials show whether that matters" : nil)
    }

    private var procFinding: Finding {
        Finding(
            "proc-masks", topic: .surroundings, title: "mounts over /proc", level: masks.isEmpty ? .works : .note,
            seen: masks.isEmpty ? "/proc/self/mountinfo: none" : masks.prefix(8).joined(separator: ", "),
            meaning: masks.isEmpty ? nil : "no new procfs can be made: policies with `proc: minimal` cannot run",
            remedy: masks.isEmpty ? nil : container == .none ? "sudo umount \(masks[0]) …" : container.remedy)
    }

    private var hidingFinding: Finding {
        Finding(
            "hidepid", topic: .surroundings, title: "processes hidden by /proc",
            level: hiding == nil ? .works : .weaker,
            seen: hiding.map { "/proc/self/mountinfo: \($0)" } ?? "/proc/self/mountinfo: none",
            meaning: hiding.map { _ in
                "without a control group that limits memory, programs that may have several processes cannot run"
            }, remedy: hiding.map(HiddenProcesses.remedy))
    }

    private var moduleFindings: [Finding] {
        let text = modules.map { $0.joined(separator: ",") } ?? "/sys/kernel/security/lsm cannot be read"
        var found = [Finding("lsm", topic: .surroundings, title: "security modules", level: .works, seen: text)]
        if let profile, !profile.isEmpty {
            let isFree = profile.hasPrefix("unconfined") || !profile.contains("(enforce)")
            found.append(
                Finding(
                    "apparmor-profile", topic: .surroundings, title: "AppArmor profile of this program",
                    level: isFree ? .works : .note,
                    seen: "/proc/self/attr/current: \(profile)",
                    meaning: isFree
                        ? nil : "sandboxes cannot use features that it forbids; the trials show if there are any"))
        }
        if let isSELinuxEnforcing {
            found.append(
                Finding(
                    "selinux", topic: .surroundings, title: "SELinux", level: isSELinuxEnforcing ? .note : .works,
                    seen: "/sys/fs/selinux/enforce: \(isSELinuxEnforcing ? "1 (enforcing)" : "0 (permissive)")",
                    meaning: isSELinuxEnforcing ? "its policy may deny mounts to some domains; the trials show it" : nil
                ))
        }
        return found
    }
}
